import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CHALLENGE_COMPLETED, CHALLENGE_GRACE_SECONDS, services, type LoginOutcome } from '@codase/contracts';
import type { CodaseClient, LoginResult } from '@codase/client';
import type { Person, World } from '@codase/testing';
import { aimedFaults, allOf, inTurn, second, serverParts, type Part } from '../aimed-faults.ts';
import { secondReplicas, unitProcess } from '../managed-process.ts';
import { ProcessGroup } from '../process-group.ts';
import { streamState } from '../stream-state.ts';
import { untilAnswered } from '../until-answered.ts';
import { openWorld, soak, type Scene, type SoakContext, type SoakOptions, type SoakResult, type Verdict } from '../soak.ts';
import { Logins, type Login, type Tap } from './logins.ts';
import { Phones } from './phones.ts';
import { StepWatcher } from './step-watcher.ts';
import { STEPS, type Step } from './steps.ts';

/** The services that run in their own processes. */
const UNITS = ['front-door', 'region-eu', 'region-us', 'gateway', 'feed-consumer', 'twofa'] as const;
/** The services that are not killed in the short form, because a process takes more than a second of CPU to start. */
const WHOLE_IN_SHORT: readonly string[] = ['front-door', 'feed-consumer'];
/** The services with two replicas, except in the short form. */
const REPLICATED = ['gateway', 'twofa'] as const;
/** The life of a challenge, so short that an unanswered login ends during the soak. */
const lifetimeSeconds = (isShort: boolean) => (isShort ? 20 : 30);
const LIMITS = {
  pending: { per_service: 1000, per_person: 1000 },
  rate: { per_minute: 100_000, per_hour: 100_000 },
};
/** How long a caller tries to raise a challenge in one call. */
const RAISE_MS = 10_000;
/** How long a caller may wait beyond a challenge (decision 52): the grace, 15 s without twofa, and 5 s for a busy machine. */
const LEFT_WAITING_MS = CHALLENGE_GRACE_SECONDS * 1000 + 15_000 + 5_000;
/** The steps at which twofa or the gateway is working on the login, so that the other replica has to take over. */
const STEPS_IN_HAND: readonly Step[] = [
  'asked',
  'request noted',
  'raise sent',
  'raised',
  'raise answered',
  'poll sent',
  'outcome consumed',
  'outcome answered',
  'outcome recorded',
];
/** A person begins the next login within this time. */
const REST_MS = 2000;

interface TwofaSoakOptions extends SoakOptions {
  /** The number of persons. Each has one login under way. */
  persons?: number;
  /** Runs one replica of each service. The front door and the feed consumer are not killed. */
  isShort?: boolean;
}

/** Runs logins while each part is killed at each step. No approval is made up, each login has one outcome, and no caller waits on. */
export const twofaSoak = (options: TwofaSoakOptions): Promise<SoakResult> => soak(options, (context) => openTwofa(context, options));

async function openTwofa(context: SoakContext, { persons: count = 20, isShort = false }: TwofaSoakOptions): Promise<Scene> {
  const world = await openForLogins(context, isShort);
  const persons = await enrolPersons(world, count);
  const codase = await world.internalService();
  const logins = new Logins(world.internalAddress.user);
  const watcher = await StepWatcher.open(world, logins, context.cleanup);
  const processes = await startProcesses(world, context, isShort);
  const phones = new Phones(logins, watcher);
  phones.open(persons);
  context.cleanup.push(() => phones.close());
  const { faults, table } = aimedFaults(partsOf(world, processes, context, isShort), STEPS, watcher.aims);
  const ended = () => logins.all.flatMap(({ result }) => result ?? []);
  return {
    processes,
    faults: [...faults, ...['twofa', 'gateway', 'region-eu', 'region-us'].map((name) => processes.hanging(name))],
    waitsForAll: false,
    wellMs: { least: 100, most: 500 },
    counts: () => ({ events: ended().length, ...countOutcomes(ended()) }),
    load: (isOver) => logIn(isOver, { codase, persons, logins, watcher, restMs: isShort ? 0 : REST_MS }),
    judge: async () => {
      await phones.done();
      return { ...(await judge(world, phones, logins.all)), table };
    },
  };
}

const unitsApart = (isShort: boolean) => UNITS.filter((unit) => !isShort || !WHOLE_IN_SHORT.includes(unit));

async function openForLogins(context: SoakContext, isShort: boolean): Promise<World> {
  const world = await openWorld(context, { processes: unitsApart(isShort), units: [] });
  const CHALLENGE_LIMITS = JSON.stringify({ ...LIMITS, lifetime_seconds: lifetimeSeconds(isShort) });
  for (const unit of UNITS) await world.starts(unit, unit.startsWith('region') ? { CHALLENGE_LIMITS } : {});
  const params = { serviceId: world.shop.service_id! };
  await world.automation.asks(services.changeNumberMatching, { params, body: { number_matching: true } });
  return world;
}

async function startProcesses(world: World, context: SoakContext, isShort: boolean): Promise<ProcessGroup> {
  const firsts = unitsApart(isShort).map((name) => unitProcess(world, name));
  const seconds = isShort ? [] : await secondReplicas(world, REPLICATED);
  return ProcessGroup.of([...firsts, ...seconds], context);
}

/** Returns the parts that are killed. The company's home is eu, and so is that of half of the persons. */
function partsOf(world: World, processes: ProcessGroup, { postgres }: SoakContext, isShort: boolean): Part<Step, Login>[] {
  const kill = (name: string) => processes.kill(name);
  const replicated = REPLICATED.flatMap((unit): Part<Step, Login>[] => {
    const both = [unit, second(unit)];
    return isShort
      ? [inTurn(unit, [unit], kill)]
      : [allOf(`both ${unit}s`, both, kill), { ...inTurn(`one ${unit}`, both, kill), at: STEPS_IN_HAND }];
  });
  return [
    ...replicated,
    inTurn("the company's region", ['region-eu'], kill),
    { ...inTurn("the person's region", ['region-us'], kill), serves: ({ person }) => person.region === 'us' },
    ...serverParts(world, postgres),
    ...(isShort ? [] : WHOLE_IN_SHORT.map((unit) => inTurn(unit, [unit], kill))),
  ];
}

const enrolPersons = (world: World, count: number): Promise<Person[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, nth) => {
      const person = await world.signsUp({ type: 'person', region: nth % 2 === 0 ? 'eu' : 'us' });
      await person.connections.connects('ACME/SHOP');
      await person.phone.enrols(world.shop);
      return person;
    }),
  );

interface Actors {
  codase: CodaseClient;
  persons: readonly Person[];
  logins: Logins;
  watcher: StepWatcher;
  restMs: number;
}

/** What persons do, in turn. The login that expires takes longest, so it begins first. */
const TAPS: readonly Tap[] = ['nothing', 'approve', 'deny', 'approve', 'approve', 'type other digits', 'approve', 'approve'];

/** Makes all persons log in repeatedly, one login at a time each. Each login ends before the load does. */
async function logIn(isOver: () => boolean, actors: Actors): Promise<void> {
  const { persons, logins, restMs } = actors;
  const oneAfterTheOther = async (person: Person) => {
    while (!isOver()) {
      await logInOnce(actors, logins.begin(person, TAPS[logins.all.length % TAPS.length]!, randomUUID()));
      await pause(Math.random() * restMs);
    }
  };
  await Promise.all(persons.map(oneAfterTheOther));
}

/** Runs one login, with one key until there is an outcome. A login that could not be raised is requested again, as a person would do. */
async function logInOnce(actors: Actors, login: Login): Promise<void> {
  while (login.result === undefined) {
    const result = await ask(actors, login);
    if (result) login.result = result;
    else await pause(200);
  }
  actors.watcher.seen('asker answered', login);
  // A caller that lost the answer asks again, and gets the same answer, or none while something is broken.
  const again = await ask(actors, login);
  if (again) login.repeated = again;
}

/** Makes one call, and measures how much longer it took than the challenge, or the time to raise one, lasted. */
async function ask({ codase, watcher }: Actors, login: Login): Promise<LoginResult | undefined> {
  const { person, context, key } = login;
  let due = Date.now() + RAISE_MS;
  const request = { share_code: person.share_code, context, key };
  const result = await codase
    .challenge(request, {
      timeoutMs: RAISE_MS,
      onRaised: (raised) => {
        due = Math.max(Date.now(), new Date(raised.expires_at).getTime());
        login.raised = raised;
        watcher.seen('digits shown', login);
      },
    })
    .catch(() => undefined);
  login.lateMs = Math.max(login.lateMs, Date.now() - due);
  return result;
}

function countOutcomes(results: readonly LoginResult[]) {
  const of = (status: LoginResult['status']) => results.filter((result) => result.status === status).length;
  return { approved: of('approved'), denied: of('denied'), expired: of('expired'), lostOutcomes: of('lost'), unanswered: of('unanswered') };
}

/** Judges logins. `wrong`: approved by nobody; `duplicated`: not exactly the one outcome that the caller got; `lost`: left waiting. */
async function judge(world: World, phones: Phones, logins: readonly Login[]): Promise<Verdict> {
  const published = await streamed(world, logins);
  const results = logins.flatMap(({ result }) => result ?? []);
  const differs = ({ result, repeated }: Login) => {
    if (!result) return false;
    const statuses = published.get(result.challenge_id) ?? [];
    const answers = [result, repeated ?? result].map(({ status }) => status).filter((status) => status !== 'unanswered');
    return statuses.length !== 1 || answers.some((status) => status !== statuses[0]);
  };
  return {
    wrong: yeses(results, published).filter((challenge_id) => !phones.approved.has(challenge_id)).length,
    duplicated: logins.filter(differs).length,
    lost: logins.filter(({ result, lateMs }) => !result || lateMs > LEFT_WAITING_MS).length,
    disordered: 0,
    longestWaitMs: Math.max(0, ...logins.map(({ lateMs }) => lateMs)),
    ...countOutcomes(results),
  };
}

const yeses = (results: readonly LoginResult[], published: ReadonlyMap<string, readonly LoginOutcome[]>): string[] => [
  ...results.flatMap(({ approved, challenge_id }) => (approved ? [challenge_id] : [])),
  ...[...published].flatMap(([challenge_id, statuses]) => (statuses.includes('approved') ? [challenge_id] : [])),
];

async function streamed(world: World, logins: readonly Login[]): Promise<Map<string, LoginOutcome[]>> {
  const bus = await world.operator('suite');
  const stream = CHALLENGE_COMPLETED.stream!;
  for (let tries = 0; tries < 30; tries++) {
    const { messages } = await streamState(bus, stream);
    if (messages >= logins.length) break;
    await pause(1000);
  }
  const { first_seq, last_seq } = await streamState(bus, stream);
  const manager = await bus.manager({ checkAPI: false });
  const published = new Map<string, LoginOutcome[]>();
  for (let seq = first_seq; seq <= last_seq; seq++) {
    const { challenge_id, status } = (await untilAnswered(() => manager.streams.getMessage(stream, { seq })))!.json<{
      challenge_id: string;
      status: LoginOutcome;
    }>();
    published.set(challenge_id, [...(published.get(challenge_id) ?? []), status]);
  }
  return published;
}
