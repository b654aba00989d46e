import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CHALLENGE_COMPLETED, CHALLENGE_GRACE_SECONDS, type LoginOutcome } from '@cds/contracts';
import type { CdsClient, LoginResult, Raised } from '@cds/client';
import { World, type Person } from '@cds/testing';
import { awayAndBack } from '../faults.ts';
import { unitProcess } from '../managed-process.ts';
import { ProcessGroup } from '../process-group.ts';
import { soak, type Scene, type SoakContext, type SoakOptions, type SoakResult, type Verdict } from '../soak.ts';
import { Phones, type Tap } from './phones.ts';

/** Killed and hung. The front door and the feed consumer run here and stay: without them nobody could be raised, and events only hint. */
const BROKEN = ['twofa', 'gateway', 'region-eu', 'region-us'] as const;
const UNITS = ['front-door', 'feed-consumer', ...BROKEN] as const;
/** A short life, so that a login that nobody answers ends while it runs. */
const LIFETIME_SECONDS = 20;
const LIMITS = {
  lifetime_seconds: LIFETIME_SECONDS,
  pending: { per_service: 1000, per_person: 1000 },
  rate: { per_minute: 100_000, per_hour: 100_000 },
};
/** Beyond the life of a challenge: the grace of twofa, and what the asker itself adds before it gives up. */
const LEFT_WAITING_MS = (CHALLENGE_GRACE_SECONDS + 25) * 1000;
const UNDER_WAY = 12;

interface Login {
  raised?: Raised;
  result?: LoginResult;
  /** Beyond the end of the challenge, by the asker's clock. */
  lateMs?: number;
}

/**
 * Logins ask while twofa, the gateway, both regions, NATS and Postgres are killed: at most as many yeses as the persons gave, one outcome
 * for each, and no asker that waits for ever.
 */
export const twofaSoak = (options: SoakOptions & { persons?: number }): Promise<SoakResult> =>
  soak(options, (context) => openTwofa(context, options.persons ?? 12));

async function openTwofa(context: SoakContext, count: number): Promise<Scene> {
  const world = await openWorld(context);
  const persons = await enrolPersons(world, count);
  const cds = await world.internalService();
  const [phones, logins] = [new Phones(), [] as Login[]];
  const processes = await ProcessGroup.of(
    BROKEN.map((name) => unitProcess(world, name)),
    context,
  );
  const ended = () => logins.flatMap(({ result }) => result ?? []);
  return {
    processes,
    faults: [
      ...BROKEN.flatMap((name) => [processes.killing(name), processes.hanging(name)]),
      awayAndBack('NATS', (awayMs) => world.restartBus({ awayMs })),
    ],
    wellMs: { least: 500, most: 3000 },
    counts: () => ({ events: ended().length, ...countOutcomes(ended()) }),
    load: (isOver) => logIn(isOver, { cds, persons, phones, logins }),
    judge: async () => {
      await phones.done();
      return judge(world, phones, logins);
    },
  };
}

async function openWorld({ postgres, nats, cleanup }: SoakContext): Promise<World> {
  const servers = { postgresUrl: postgres.url, nats, durable: true };
  const world = await World.open({ processes: BROKEN, units: [], servers });
  cleanup.push(() => world.close());
  const CHALLENGE_LIMITS = JSON.stringify(LIMITS);
  for (const unit of UNITS) await world.starts(unit, unit.startsWith('region') ? { CHALLENGE_LIMITS } : {});
  return world;
}

/** Half of them live in the region of the company, half in the other. */
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
  cds: CdsClient;
  persons: readonly Person[];
  phones: Phones;
  logins: Login[];
}

/** Several at a time; each ends before the load does. */
async function logIn(isOver: () => boolean, actors: Actors): Promise<void> {
  let nth = 0;
  const oneAfterTheOther = async () => {
    while (!isOver()) await login(actors, nth++);
  };
  await Promise.all(Array.from({ length: UNDER_WAY }, oneAfterTheOther));
}

const TAPS: readonly Tap[] = ['approve', 'deny', 'approve', 'approve', 'deny', 'approve', 'nothing', 'approve'];

/** Asked with one key until there is an outcome: a login that could not be raised is asked about again, as a person would. */
async function login({ cds, persons, phones, logins }: Actors, nth: number): Promise<void> {
  const [person, tap, key] = [persons[nth % persons.length]!, TAPS[nth % TAPS.length]!, randomUUID()];
  const one: Login = {};
  logins.push(one);
  const onRaised = (raised: Raised) => {
    if (!one.raised) phones.begin(person, raised.challenge_id, tap, raised.expires_at);
    one.raised = raised;
  };
  while (one.result === undefined) {
    const asked = { share_code: person.share_code, context: `Sign-in number ${nth}`, key };
    const result = await cds.challenge(asked, { onRaised, timeoutMs: 10_000 }).catch(() => pause(200));
    if (result) one.result = result;
  }
  if (one.raised) one.lateMs = Date.now() - new Date(one.raised.expires_at).getTime();
}

function countOutcomes(results: readonly LoginResult[]) {
  const of = (status: LoginResult['status']) => results.filter((result) => result.status === status).length;
  return { approved: of('approved'), denied: of('denied'), expired: of('expired'), lostOutcomes: of('lost'), unanswered: of('unanswered') };
}

/**
 * `wrong`: a yes that nobody gave, to the asker or on the stream. `duplicated`: not the one outcome on the stream that the asker got.
 * `lost`: an asker left waiting.
 */
async function judge(world: World, phones: Phones, logins: readonly Login[]): Promise<Verdict> {
  const told = await streamed(world, logins);
  const results = logins.flatMap(({ result }) => result ?? []);
  const differs = ({ challenge_id, status }: LoginResult) => {
    const statuses = told.get(challenge_id) ?? [];
    return statuses.length !== 1 || (statuses[0] !== status && status !== 'unanswered');
  };
  return {
    wrong: yeses(results, told).filter((challenge_id) => !phones.approved.has(challenge_id)).length,
    duplicated: results.filter(differs).length,
    lost: logins.filter(({ result, lateMs = 0 }) => !result || lateMs > LEFT_WAITING_MS).length,
    disordered: 0,
    ...countOutcomes(results),
  };
}

const yeses = (results: readonly LoginResult[], told: ReadonlyMap<string, readonly LoginOutcome[]>): string[] => [
  ...results.flatMap(({ approved, challenge_id }) => (approved ? [challenge_id] : [])),
  ...[...told].flatMap(([challenge_id, statuses]) => (statuses.includes('approved') ? [challenge_id] : [])),
];

/** The outcomes on the stream, by challenge, once all are there or nothing more comes. */
async function streamed(world: World, logins: readonly Login[]): Promise<Map<string, LoginOutcome[]>> {
  const manager = await (await world.operator('suite')).manager();
  const stream = CHALLENGE_COMPLETED.stream!;
  for (let tries = 0; tries < 30; tries++) {
    const { messages } = (await manager.streams.info(stream)).state;
    if (messages >= logins.length) break;
    await pause(1000);
  }
  const { first_seq, last_seq } = (await manager.streams.info(stream)).state;
  const told = new Map<string, LoginOutcome[]>();
  for (let seq = first_seq; seq <= last_seq; seq++) {
    const { challenge_id, status } = (await manager.streams.getMessage(stream, { seq }))!.json<{
      challenge_id: string;
      status: LoginOutcome;
    }>();
    told.set(challenge_id, [...(told.get(challenge_id) ?? []), status]);
  }
  return told;
}
