import { Inject, Injectable } from '@nestjs/common';
import { FlowNames, GatewayHttp, KeyChecks, Opener, ReaderKeys, type GatewayAddress, type KeyLogOptions } from '@codase/client';
import {
  type BinaryAnswer,
  CALL_FORWARDER,
  idempotent,
  isFileReference,
  operation,
  READ_SERVICE_KEY,
  readFileAnswer,
  Refusal,
  registry,
  runs,
  type Endpoint,
  type Output,
  type Request,
  type Run,
  type ToOpen,
} from '@codase/contracts';
import { fieldTypes, type FieldTypes } from '@codase/domain/field-types';
import { compileFlow, readDefinition, type Flow } from '@codase/domain/flow-language';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { monotonic } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { GATEWAY, KEY_LOG } from '../config.ts';
import { SETTINGS, type Settings } from '../settings.ts';
import type { OpenedStep } from '../turns/present-turn.ts';
import type { z } from 'zod';

type BareRun = Omit<Run, 'answers'>;

/** The company's step of a run, opened. */
export interface OpenedRun extends OpenedStep {
  /** The run without what would be long in memory: its sealed answers, and a definition of its own. */
  run: BareRun;
  /** Whether each answer that has an attestation agrees with it. @spec D1-2.7 */
  attested: Record<string, boolean>;
}

/** A file in one of its three shapes. @spec D1-2.8 */
type FileAnswer = z.infer<typeof BinaryAnswer>;

const TIMEOUT_MS = 15_000;
/**
 * Requests that may be sent twice, so that a gateway that dies with one costs only half a second. A start has a key. Of two submissions of
 * one turn the second is refused, and the run shows where it is. What is uploaded or issued twice is used once.
 */
const REPEATABLE: ReadonlySet<Endpoint> = new Set<Endpoint>([runs.startRun, runs.answerRun, runs.stageRunFile, runs.issuePluginPass]);
/** The timeout of a question to a plugin, which itself has ten seconds to answer. @gap D2-8 */
const PLUGIN_TIMEOUT_MS = 20_000;
const UPLOAD_TIMEOUT_MS = 120_000;
/** How many characters a message of the bus may have around its payload. */
const AROUND_CHARS = 64 * 1024;
/** How long field types are cached. An operator of the platform seldom adds one. */
const TYPES_LIVE_MS = 10 * 60_000;
/** How many compiled versions of flows are cached. A version never changes. @spec D2-9 */
const MAX_FLOWS = 200;

type Pinned = Pick<Run, 'flow_id' | 'flow_version' | 'definition'>;
const versionOf = ({ flow_id, flow_version }: Pinned): string => `${flow_id} ${flow_version}`;

/** The platform and the decryptor as one service of the company uses them. */
export class ServicePlatform {
  readonly keys: ReaderKeys;
  readonly opener: Opener;
  readonly names: FlowNames;
  private readonly http: GatewayHttp;
  private types: { read: Promise<FieldTypes>; at: number } | undefined;
  private readonly flows = new Map<string, Flow>();

  constructor(
    private readonly bus: Bus,
    readonly service: string,
    gateway: GatewayAddress | undefined,
    checks: KeyChecks,
  ) {
    this.http = new GatewayHttp(gateway, service);
    this.keys = new ReaderKeys(bus, service, checks);
    this.opener = Opener.forService(bus, service);
    this.names = new FlowNames(bus, service, TIMEOUT_MS);
  }

  ask<E extends Endpoint>(contract: E, request: Request<E>, timeout = TIMEOUT_MS): Promise<Output<E>> {
    const subject = REPEATABLE.has(contract) ? idempotent(operation(contract)) : operation(contract);
    return this.bus.request(subject, { service: this.service }, request as never, { timeout }) as Promise<Output<E>>;
  }

  /** Sends a request with a long body. It goes to the gateway's HTTP server when it does not fit into a message. */
  send<E extends Endpoint>(contract: E, request: Request<E>, chars: number, timeoutMs?: number): Promise<Output<E>> {
    const isLong = chars + AROUND_CHARS > this.bus.messageBytes;
    return isLong && this.http.isKnown
      ? this.http.upload(contract, request, { timeoutMs: UPLOAD_TIMEOUT_MS })
      : this.ask(contract, request, timeoutMs);
  }

  /** Fetches a file from the gateway's HTTP server, or over the bus when that server is not configured: the bus carries short files. */
  async fetchFile<E extends Endpoint>(contract: E, request: Request<E>, mostBytes: number): Promise<FileAnswer> {
    return this.http.isKnown ? this.download(contract, request, mostBytes) : ((await this.ask(contract, request)) as FileAnswer);
  }

  private async download<E extends Endpoint>(contract: E, request: Request<E>, mostBytes: number): Promise<FileAnswer> {
    const { body, content_type } = await this.http.download(contract, request);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of body) {
      length += chunk.length;
      if (length > mostBytes) throw new Refusal('documents.too_large');
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks);
    return readFileAnswer(contract.result, { content_type, bytes }) as FileAnswer;
  }

  readRun(runId: string): Promise<Run> {
    return this.ask(runs.readRun, { params: { runId } });
  }

  /** Sends a sealed question to a plugin through the gateway. @spec D2-4.5 */
  async callForwarder(question: { forwarder_url: string; pass: string; plugin_id: string; request: string }): Promise<string> {
    return (await this.bus.request(CALL_FORWARDER, { service: this.service }, question, { timeout: PLUGIN_TIMEOUT_MS })).reply;
  }

  /** Returns the key to which the company's own copies are sealed. @spec D2-4.2 */
  async ownKey(): Promise<string> {
    return (await this.bus.request(READ_SERVICE_KEY, { service: this.service }, {}, { timeout: TIMEOUT_MS })).public_key;
  }

  /** Returns the id of a published flow, which the caller may give by its name. @gap D2-4.1 */
  flowId({ flow_id, flow_name }: { flow_id?: string | undefined; flow_name?: string | undefined }): Promise<string> {
    return flow_id === undefined ? this.names.idOf(flow_name!) : Promise.resolve(flow_id);
  }

  /** Returns the compiled definition of the flow version that the run is pinned to. @spec D2-9 */
  async flowOf(run: Pinned): Promise<Flow> {
    const known = this.flows.get(versionOf(run));
    if (known) return known;
    const flow = await this.compile(run.definition);
    if (this.flows.size >= MAX_FLOWS) this.flows.delete(this.flows.keys().next().value!);
    this.flows.set(versionOf(run), flow);
    return flow;
  }

  /** Returns the run for keeping in memory. Runs of one version share one definition, which may be far longer than their answers. */
  withKnownDefinition<R extends Pinned>(run: R): R {
    const known = this.flows.get(versionOf(run));
    return known ? { ...run, definition: known.definition as Run['definition'] } : run;
  }

  async compile(definition: unknown): Promise<Flow> {
    const reading = readDefinition(definition);
    if (!reading.ok) throw new Refusal('flows.definition_invalid');
    return compileFlow(reading.definition, await this.fieldTypes());
  }

  /** Opens the company's copies of the answers. Fails when one does not open: without it the step could be answered wrongly. */
  async open(run: Run): Promise<OpenedRun> {
    const flow = await this.flowOf(run);
    const node = flow.node(run.current_node ?? '');
    if (!node) throw new Refusal('flows.definition_invalid');
    const own = run.answers.filter(({ for_user_id }) => for_user_id === run.company_user_id);
    const opened = await Promise.all(own.map(async (answer) => [answer.slug, await this.openAnswer(answer)] as const));
    const attested = opened.flatMap(([slug, { attested }]) => (attested === null ? [] : [[slug, attested] as const]));
    const { answers: _, ...bare } = run;
    const { reference_date, private_slugs } = run;
    return {
      run: this.withKnownDefinition(bare),
      flow,
      node,
      reference_date,
      private_slugs,
      answers: Object.fromEntries(opened.map(([slug, { plaintext }]) => [slug, plaintext])),
      attested: Object.fromEntries(attested),
    };
  }

  /** Opens an answer. A reference to a file is not sealed. @spec D2-2.2 */
  private async openAnswer({ value, verified_hash, verified_salt }: Run['answers'][number]) {
    if (isFileReference(value)) return { plaintext: value, attested: null };
    const verification =
      verified_hash !== undefined && verified_salt !== undefined ? { verification: { verified_hash, verified_salt } } : {};
    return this.opener.open({ value, ...verification } as ToOpen);
  }

  private fieldTypes(): Promise<FieldTypes> {
    if (!this.types || monotonic() - this.types.at > TYPES_LIVE_MS) this.types = { read: this.readTypes(), at: monotonic() };
    return this.types.read;
  }

  private async readTypes(): Promise<FieldTypes> {
    try {
      return fieldTypes(await this.ask(registry.listFieldTypes, {}));
    } catch (error) {
      this.types = undefined;
      throw error;
    }
  }
}

/** Returns the `ServicePlatform` of each service of the company. */
@Injectable()
export class Platform {
  private readonly services = new Map<string, ServicePlatform>();

  constructor(
    private readonly bus: Bus,
    @Inject(GATEWAY) private readonly gateway: GatewayAddress | undefined,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(KEY_LOG) private readonly keyLog: KeyLogOptions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Reads the names of flows that settings name, that of `flow_id` among them. It runs before settings of a flow are looked up. */
  async learnNames(service: string, flow_id?: string): Promise<void> {
    if (!this.settings.namesFlows(service)) return;
    for (const flow of await this.of(service).names.all(flow_id)) this.settings.learn(flow);
  }

  of(service: string): ServicePlatform {
    const known = this.services.get(service) ?? new ServicePlatform(this.bus, service, this.gateway, this.checksOf(service));
    this.services.set(service, known);
    return known;
  }

  private checksOf(service: string): KeyChecks {
    const { bus, clock, log } = this;
    return new KeyChecks({ bus, service, clock, log }, this.keyLog);
  }
}
