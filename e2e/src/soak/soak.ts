import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, type NatsServer, type Postgres } from '@codase/servers';
import { World } from '@codase/testing';
import { Cleanup } from './cleanup.ts';
import type { ProcessGroup } from './process-group.ts';
import { awayAndBack, Faults, restart, type Breakable, type Fault } from './faults.ts';
import { Outages } from './outages.ts';
import { isWithinLimits, type RequestTally } from './request-log.ts';
import type { Tally } from './tally.ts';

export interface SoakOptions {
  nats: NatsServer;
  /** The address of a Postgres that others use too, for a soak that breaks nothing. When absent, the soak starts its own, durable one. */
  postgresUrl?: string | undefined;
  /** Load and faults go on until there were this many events and kills, whichever takes longer. With no kills nothing is broken. */
  events: number;
  /** The number of kills. Each fault once when absent. */
  kills?: number | undefined;
  /** A further condition on the counts that must be true before the soak ends. */
  until?: ((counts: Counts) => boolean) | undefined;
  /** Runs for this long instead, whatever happens meanwhile. */
  minutes?: number | undefined;
  /** Ends the soak early. Everything is cleaned up. */
  signal?: AbortSignal | undefined;
  progress?: ((line: string) => void) | undefined;
  /** A folder for the output of the processes. */
  logs?: string | undefined;
}

/** The counts at the end. `lost` to `wrong`, `sealsWithoutAct` and `actsWithoutSeal` must be zero. */
export interface Verdict extends Tally {
  parked?: number;
  /** Events without a change, or with a wrong value. */
  wrong?: number;
  /** Repeated deliveries, which at-least-once allows. */
  repeated?: number;
  /** Answers that readers cut, HEAD and OPTIONS requests to drains, and moves of companies to another region. */
  cuts?: number;
  heads?: number;
  moves?: number;
  /** Runs of contract flows that were started, and games that played them against a model. */
  runs?: number;
  games?: number;
  /** Messages written, acts done, acts that failed at first, and faults that struck in the middle of an act. */
  messages?: number;
  acts?: number;
  interruptedActs?: number;
  faultsInActs?: number;
  /** Seals without their act, and acts without their seal. */
  sealsWithoutAct?: number;
  actsWithoutSeal?: number;
  /** How logins ended. A lost outcome was consumed and never recorded. */
  approved?: number;
  denied?: number;
  expired?: number;
  lostOutcomes?: number;
  unanswered?: number;
  /** The longest that a caller waited beyond the life of its challenge. */
  longestWaitMs?: number;
  requests?: RequestTally;
  /** The longest time that Postgres took no connections after a kill, counted from the kill. */
  longestPostgresOutageMs?: number;
  /** The longest time of an event, from the answer to its edit until its effect was seen. */
  slowestEventMs?: number;
  table?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface SoakResult extends Verdict {
  kills: number;
  /** How many kinds of faults struck. */
  faults: number;
  events: number;
  /** Processes that ended without being killed. They were started again. */
  unexpectedExits: number;
  seconds: number;
}

export const isClean = ({ lost, duplicated, disordered, requests, ...verdict }: Verdict): boolean => {
  const { parked = 0, wrong = 0, sealsWithoutAct = 0, actsWithoutSeal = 0 } = verdict;
  const faults = lost + duplicated + disordered + parked + wrong + sealsWithoutAct + actsWithoutSeal;
  return faults === 0 && (requests === undefined || isWithinLimits(requests));
};

type SoakPostgres = Breakable & Pick<Postgres, 'url'>;

export interface SoakContext {
  postgres: SoakPostgres;
  /** Whether the servers write through to the disk, as in production. Those that others use too do not. */
  isDurable: boolean;
  /** The password of the superuser, and of everything else that needs one. */
  password: string;
  nats: NatsServer;
  events: number;
  cleanup: Cleanup;
  progress(line: string): void;
  lastFault(): string;
  /** Returns how long Postgres took no connections since a moment, by `performance.now()`. */
  outageMs(since: number): number;
}

export async function openWorld({ postgres, isDurable, nats, cleanup }: SoakContext, { nodes, ...options }: SoakWorld): Promise<World> {
  const world = await World.open({ ...options, servers: { postgresUrl: postgres.url, nats, durable: isDurable, ...(nodes && { nodes }) } });
  cleanup.push(() => world.close());
  return world;
}
type SoakWorld = Omit<NonNullable<Parameters<typeof World.open>[0]>, 'servers'> & { nodes?: number };

/** The number of events so far, and other numbers that the progress shows. */
type Counts = { events: number } & Record<string, number>;

/** A system that runs under load and can be broken. */
export interface Scene {
  processes: ProcessGroup;
  /** Whether the next fault waits until all processes run, and not only until events arrive again. */
  waitsForAll?: boolean;
  /** Whether each fault is repaired before the next. `isRepaired` says what this needs besides running processes. */
  isInTurn?: boolean;
  isRepaired?(): Promise<boolean>;
  isInOrder?: boolean;
  /** Waits for a moment at which the next fault interrupts something. */
  moment?(signal: AbortSignal): Promise<void>;
  sparesPostgres?: boolean;
  faults: readonly Fault[];
  wellMs: { least: number; most: number };
  counts(): Counts;
  load(isOver: () => boolean): Promise<void>;
  /** Waits for everything still under way, and counts. Called when the faults are over and all processes run. */
  judge(broken: { kills: number }): Promise<Verdict>;
}

const PROGRESS_MS = 3000;
const CHECK_MS = 100;

/** Runs a load while things break, repairs everything, and counts the results. */
export async function soak(options: SoakOptions, open: (context: SoakContext) => Promise<Scene>): Promise<SoakResult> {
  const { nats, events, logs, until = () => true, minutes, signal, progress = () => {} } = options;
  const cleanup = new Cleanup();
  try {
    progress('starting');
    const password = randomBytes(12).toString('hex');
    const isDurable = options.postgresUrl === undefined;
    const postgres = isDurable ? await ownPostgres(password, cleanup) : sharedPostgres(options.postgresUrl!);
    let lastFault = 'none';
    const outages = new Outages();
    const outageMs = (since: number) => outages.since(since);
    const scene = await open({ postgres, isDurable, password, nats, events, cleanup, progress, lastFault: () => lastFault, outageMs });
    const { processes, wellMs, waitsForAll = true } = scene;
    if (logs !== undefined) cleanup.push(() => processes.writeLogs(logs));

    const startedAt = performance.now();
    const seconds = () => Math.round((performance.now() - startedAt) / 1000);
    const restartPostgres = async (awayMs: number) => {
      const { tookMs, startMs } = await outages.note(() => restart(postgres, awayMs));
      progress(`Postgres took no connections for ${tookMs} ms: its own start and recovery took ${startMs} ms of them`);
    };
    const ofPostgres = scene.sparesPostgres ? [] : [awayAndBack('Postgres', restartPostgres)];
    const breaking = options.kills === 0 ? [] : [...scene.faults, ...ofPostgres];
    const kills = options.kills ?? breaking.length;
    const load = new AbortController();
    /** Waits until events arrive again: on a slow machine things would otherwise break faster than any work is done. */
    const whole = async () => {
      if (waitsForAll) await processes.whole();
      while (!load.signal.aborted && scene.isRepaired && !(await scene.isRepaired().catch(() => false))) await pause(CHECK_MS);
      const { events: before } = scene.counts();
      while (!load.signal.aborted && scene.counts().events === before) await pause(CHECK_MS);
    };
    const say = (fault: string) => progress((lastFault = fault));
    const moment = (stopping: AbortSignal) => scene.moment?.(stopping) ?? Promise.resolve();
    const faults = new Faults(breaking, { ...wellMs, whole, isInTurn: scene.isInTurn, isInOrder: scene.isInOrder, moment, say });
    cleanup.push(() => faults.stop().catch(() => undefined)); // the failure was thrown where it counts
    const isEnough = () => {
      if (minutes !== undefined) return seconds() >= minutes * 60;
      const counts = scene.counts();
      return counts.events >= events && faults.kills >= kills && until({ ...counts, faults: faults.kinds });
    };
    const ticking = setInterval(() => progress(`${seconds()} s: ${inWords({ ...scene.counts(), kills: faults.kills })}`), PROGRESS_MS);
    cleanup.push(() => clearInterval(ticking));
    await scene.load(() => isEnough() || faults.isStuck || (signal?.aborted ?? false)).finally(() => load.abort());
    signal?.throwIfAborted();
    await faults.stop();

    progress('faults are over, waiting for the rest');
    await processes.whole();
    const verdict = await scene.judge({ kills: faults.kills });
    return {
      kills: faults.kills,
      faults: faults.kinds,
      events: scene.counts().events,
      ...verdict,
      ...(outages.longestMs > 0 && { longestPostgresOutageMs: outages.longestMs }),
      unexpectedExits: processes.unexpectedExits.length,
      seconds: seconds(),
    };
  } finally {
    await cleanup.close();
  }
}

async function ownPostgres(password: string, cleanup: Cleanup): Promise<SoakPostgres> {
  const postgres = await startPostgres({ durable: true, password });
  cleanup.push(() => postgres.stop());
  return postgres;
}

const sharedPostgres = (url: string): SoakPostgres => ({ url, kill: mayNotBreak, restart: mayNotBreak });

function mayNotBreak(): never {
  throw new Error('others use this Postgres too: a soak that breaks things needs its own');
}

const inWords = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
