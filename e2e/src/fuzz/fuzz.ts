import { randomBytes } from 'node:crypto';
import { startPostgres, type NatsServer } from '@codase/servers';
import { World, type Servers } from '@codase/testing';
import type { Wire } from '@codase/testing/hostile-requests';
import fc from 'fast-check';
import { Cleanup } from '../soak/cleanup.ts';
import { operationsOf, type ApiDocument, type Base, type CallerKind, type Operation } from './api-document.ts';
import { Callers } from './callers.ts';
import { hostileOperation, sampleOf, type Sample } from './hostile-operation.ts';
import { HttpExchange } from './http-exchange.ts';
import { Judge, type Answer } from './judge.ts';
import { KnownTexts } from './known-texts.ts';
import { Reach } from './reach.ts';
import { patternOf, type PreparedRequest } from './rehearsal.ts';
import { SchemaValues } from './schema-values.ts';

interface FuzzOptions {
  /** The program for the run's own servers, used unless `servers` gives those of a test run. */
  nats: NatsServer;
  servers?: Servers;
  processes?: 'one' | 'many';
  requests: number;
  /** The same seed chooses the same requests, but for ids that answers contained. */
  seed: number;
  signal?: AbortSignal | undefined;
  progress?: ((line: string) => void) | undefined;
}

/** One kind of fault: how often it came, and the first request that showed it. */
interface Fault {
  operation: string;
  fault: string;
  times: number;
  request: { method: string; url: string; caller: string; headers: Record<string, string>; body: string };
}

export interface FuzzResult {
  requests: number;
  seconds: number;
  seed: number;
  operations: number;
  /** Operations that no request succeeded at: what lies behind them was not reached. Each with its most frequent answers, and how many. */
  not_reached: Record<string, Record<string, number>>;
  statuses: Record<string, number>;
  renewals: number;
  faults: Fault[];
}

const UNITS = ['front-door', 'region-eu', 'region-us', 'forwarder', 'delivery'] as const;
const CONNECTIONS = 16;
/** How many requests to one operation follow each other, before the next operation by lot. */
const SAMPLED = 8;
/** New callers come after this many rounds: the ones before may have deleted or ended all that they had. */
const RENEWED_EVERY = 8;
const PROGRESS_MS = 10_000;
/** One request in this many is sent by another kind of caller, or by nobody. */
const STRANGER_ONE_IN = 10;
/** Operations whose success takes the callers away, and how often each may succeed: callers sign up again for seconds then. */
const MAX_SUCCESSES: Readonly<Record<string, number>> = { migrate_region: 3 };
const MAX_FAULTS = 50;
const MAX_QUOTED = 2000;
const KINDS: readonly CallerKind[] = ['service', 'account', 'portal', 'person', 'anyone'];

/** Sends right, nearly right and wrong requests to every operation of the platform's API document, and judges each answer by it. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const cleanup = new Cleanup();
  try {
    const world = await openWorld(options, cleanup);
    const bases: Bases = { 'front-door': world.frontDoorUrl, region: world.regionUrl('eu'), forwarder: world.forwarderUrl };
    const document = (await (await fetch(`${world.frontDoorUrl}/openapi.json`)).json()) as ApiDocument;
    return await new Fuzzer(document, bases, await Callers.open(world), options).run();
  } finally {
    await cleanup.close();
  }
}

async function openWorld({ nats, servers, processes = 'many' }: FuzzOptions, cleanup: Cleanup): Promise<World> {
  const world = await World.open({ processes, units: UNITS, servers: servers ?? (await ownServers(nats, cleanup)) });
  cleanup.push(() => world.close());
  return world;
}

async function ownServers(nats: NatsServer, cleanup: Cleanup): Promise<Servers> {
  const postgres = await startPostgres({ durable: false, password: randomBytes(12).toString('hex') });
  cleanup.push(() => postgres.stop());
  return { postgresUrl: postgres.url, nats, durable: false };
}

type Bases = Readonly<Record<Base, string>>;

/** Who sends a request, and where. */
interface Sender {
  kind: CallerKind;
  base: Base;
}

/** The part of the callers that a fuzzer needs. */
type FuzzCallers = Pick<Callers, 'tokenOf' | 'note' | 'renew' | 'renewals' | 'given' | 'prepared'>;

/** One run over the operations of a document. */
export class Fuzzer {
  private readonly operations: Operation[];
  private readonly judge: Judge;
  private known = new KnownTexts();
  private readonly values: SchemaValues;
  private readonly http = new HttpExchange(CONNECTIONS);
  private readonly statuses: Record<string, number> = {};
  private readonly reach = new Reach();
  private readonly samples = new Map<string, Sample>();
  private played: readonly PreparedRequest[] | undefined;
  private readonly faults = new Map<string, Fault>();
  private sent = 0;

  constructor(
    document: ApiDocument,
    private readonly bases: Bases,
    private readonly callers: FuzzCallers,
    private readonly options: Pick<FuzzOptions, 'requests' | 'seed' | 'signal' | 'progress'>,
  ) {
    this.operations = operationsOf(document);
    this.judge = new Judge(document);
    this.values = new SchemaValues(document.components.schemas, (member) =>
      this.known.has(member) ? fc.nat().map((choice) => this.known.pick(choice, member) ?? '') : undefined,
    );
  }

  async run(): Promise<FuzzResult> {
    const { requests, seed, progress = () => {} } = this.options;
    const startedAt = performance.now();
    const secondsSince = () => Math.round((performance.now() - startedAt) / 1000);
    const timer = setInterval(
      () => progress(`${secondsSince()} s: ${this.sent} of ${requests}, ${JSON.stringify(this.statuses)}`),
      PROGRESS_MS,
    );
    try {
      for (let round = 0; !this.isOver && this.faults.size < MAX_FAULTS; round++) {
        if (round % RENEWED_EVERY === RENEWED_EVERY - 1) await this.callers.renew();
        await this.play(); // first, as codes in these requests are good for a minute
        await this.learnIds();
        await this.round(seed + round);
      }
    } finally {
      clearInterval(timer);
      this.http.close();
    }
    return {
      requests: this.sent,
      seconds: secondsSince(),
      seed,
      operations: this.operations.length,
      not_reached: this.reach.missed(this.operations),
      statuses: this.statuses,
      renewals: this.callers.renewals,
      faults: [...this.faults.values()],
    };
  }

  private get isOver(): boolean {
    const { requests, signal } = this.options;
    return this.sent >= requests || signal?.aborted === true;
  }

  /** Reads all that there is, and forgets the ids of what is gone. It reads twice, because items name what their lists do not. */
  private async learnIds(): Promise<void> {
    this.known = new KnownTexts(this.callers.given);
    for (const operation of [...this.reading, ...this.reading]) {
      const target = operation.path.replace(/{(\w+)}/g, (_, name: string, index: number) =>
        encodeURIComponent(this.known.pick(this.sent, name, operation.path.slice(0, index)) ?? '-'),
      );
      const required = operation.parameters.filter((one) => one.in === 'query' && one.required);
      const query = new URLSearchParams(required.map(({ name }) => [name, this.known.pick(this.sent, name) ?? '']));
      const wire = { target: `${target}?${query}`, isPathBent: false, headers: {}, body: undefined };
      for (const kind of operation.callers) await this.exchange(operation, wire, { kind, base: operation.servedAt[0]! });
    }
  }

  /** Operations that read, and that delete nothing by reading. */
  private get reading(): Operation[] {
    return this.operations.filter(({ method, name }) => method === 'GET' && name !== 'drain_changes');
  }

  /** Sends the requests that actors prepared, once, and remembers them as samples of what succeeds. */
  private async play(): Promise<void> {
    const { prepared } = this.callers;
    if (prepared === this.played) return;
    this.played = prepared;
    for (const { base, method, target, headers, body } of prepared) {
      const path = target.split('?')[0]!;
      const operation = this.operations.find((one) => one.method === method && patternOf(one.path).test(path))!;
      const wire = { target, isPathBent: false, headers, body };
      this.samples.set(operation.name, sampleOf(operation, path, body));
      this.judged(operation, await this.http.send(base, method, wire), { wire, url: base, kind: 'anyone', isForeign: false });
    }
  }

  /** Sends some requests to each operation, in an order by lot, several operations at once. */
  private async round(seed: number): Promise<void> {
    const [order = []] = fc.sample(fc.shuffledSubarray(this.operations, { minLength: this.operations.length }), { seed, numRuns: 1 });
    const left = order.entries();
    const next = async () => {
      for (const [nth, operation] of left) {
        if (this.isOver) return;
        await this.attack(operation, seed * this.operations.length + nth);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, next));
  }

  private async attack(operation: Operation, seed: number): Promise<void> {
    const requests = fc.tuple(
      hostileOperation(operation, { known: this.known, values: this.values, sample: this.samples.get(operation.name) }),
      this.sender(operation),
    );
    for (const [wire, sender] of fc.sample(requests, { seed, numRuns: SAMPLED })) {
      if (this.reach.timesOf(operation.name) >= (MAX_SUCCESSES[operation.name] ?? Infinity)) return;
      await this.exchange(operation, wire, sender);
    }
  }

  /** Mostly callers who may call the operation, where it is served. */
  private sender({ callers, servedAt }: Operation): fc.Arbitrary<Sender> {
    const known = fc.record({ kind: fc.constantFrom(...callers), base: fc.constantFrom(...servedAt) });
    const any = fc.record({ kind: fc.constantFrom(...KINDS), base: fc.constantFrom<Base>('front-door', 'region', 'forwarder') });
    return fc.oneof({ weight: STRANGER_ONE_IN - 1, arbitrary: known }, { weight: 1, arbitrary: any });
  }

  private async exchange(operation: Operation, wire: Wire, { kind, base }: Sender): Promise<void> {
    const token = this.callers.tokenOf(kind);
    const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...wire.headers };
    const answer = await this.http.send(this.bases[base], operation.method, { ...wire, headers });
    this.judged(operation, answer, { wire, url: this.bases[base], kind, isForeign: !operation.servedAt.includes(base) });
    if (headers.authorization === `Bearer ${token}`) await this.callers.note(kind, answer.status);
  }

  /** Counts and judges an answer. One of another base than the operation's may be any refusal. */
  private judged(operation: Operation, answer: Answer, sent: { wire: Wire; url: string; kind: CallerKind; isForeign: boolean }): void {
    this.sent += 1;
    this.statuses[answer.status] = (this.statuses[answer.status] ?? 0) + 1;
    const isOther = sent.wire.isPathBent || sent.isForeign;
    const fault = this.judge.faultOf(operation, answer, isOther);
    if (!isOther) this.reach.note(operation, answer);
    if (fault) this.report(operation, fault, sent);
    else if (answer.status < 400 && !sent.wire.isPathBent) this.learn(operation, answer);
  }

  private learn(operation: Operation, { type, body }: Answer): void {
    if (type.startsWith('application/json')) this.known.learn(operation.path, JSON.parse(body));
  }

  private report(operation: Operation, fault: string, { wire, url, kind }: { wire: Wire; url: string; kind: CallerKind }): void {
    const name = `${operation.name} ${fault.slice(0, 60)}`;
    const seen = this.faults.get(name);
    if (seen) {
      seen.times += 1;
      return;
    }
    const body = wire.body?.toString('latin1').slice(0, MAX_QUOTED) ?? '';
    const request = {
      method: operation.method,
      url: `${url}${wire.target}`.slice(0, MAX_QUOTED),
      caller: kind,
      headers: wire.headers,
      body,
    };
    this.faults.set(name, { operation: operation.name, fault, times: 1, request });
  }
}
