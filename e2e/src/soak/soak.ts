import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { startPostgres, type NatsServer, type Postgres } from '@cds/servers';
import { Cleanup } from './cleanup.ts';
import type { ProcessGroup } from './process-group.ts';
import { awayAndBack, Faults, restart, type Fault } from './faults.ts';
import { Outages } from './outages.ts';
import { isWithinLimits, type RequestTally } from './request-log.ts';
import type { Tally } from './tally.ts';

export interface SoakOptions {
  nats: NatsServer;
  /** Load and faults go on until there were so many events and so many kills, whichever takes longer; with no kills nothing is broken … */
  events: number;
  /** Each fault once when absent. */
  kills?: number | undefined;
  /** … and until this is true of what else was counted … */
  until?: ((counts: Counts) => boolean) | undefined;
  /** … or for so long, whatever happens meanwhile. */
  minutes?: number | undefined;
  /** Ends it early; everything is cleaned up. */
  signal?: AbortSignal | undefined;
  progress?: ((line: string) => void) | undefined;
  /** A folder for what the processes wrote. */
  logs?: string | undefined;
}

/** What was counted in the end; `lost` to `wrong`, and seals and acts without each other, must be nothing. */
export interface Verdict extends Tally {
  /** Given up by a consumer. */
  parked?: number;
  /** An event without a change, or with a value that it should not have. */
  wrong?: number;
  /** Came again, as at-least-once allows. */
  repeated?: number;
  /** Answers that readers cut, HEAD and OPTIONS of drains, and moves of companies to another region. */
  cuts?: number;
  heads?: number;
  moves?: number;
  /** Runs of contract flows that were started, and games in which they were played against a model. */
  runs?: number;
  games?: number;
  /** What was written and signed meanwhile, acts that failed at first and were repeated, and faults that struck in the middle of one. */
  messages?: number;
  acts?: number;
  interruptedActs?: number;
  faultsInActs?: number;
  /** Seals and acts that are not there together. */
  sealsWithoutAct?: number;
  actsWithoutSeal?: number;
  /** How logins ended; a lost outcome is one that was consumed and never recorded. */
  approved?: number;
  denied?: number;
  expired?: number;
  lostOutcomes?: number;
  unanswered?: number;
  /** The longest that an asker waited beyond the life of its challenge. */
  longestWaitMs?: number;
  /** What callers met meanwhile. */
  requests?: RequestTally;
  /** The longest that Postgres took no connections after it was killed, from the kill on. */
  longestPostgresOutageMs?: number;
  /** The longest way of an event, from the answer to its edit until its effect was seen. */
  slowestEventMs?: number;
  /** How often each part was killed at each step. */
  table?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export interface SoakResult extends Verdict {
  kills: number;
  events: number;
  /** Processes that ended though nobody killed them; they were started again. */
  unexpectedExits: number;
  seconds: number;
}

export const isClean = ({ lost, duplicated, disordered, requests, ...verdict }: Verdict): boolean => {
  const { parked = 0, wrong = 0, sealsWithoutAct = 0, actsWithoutSeal = 0 } = verdict;
  const faults = lost + duplicated + disordered + parked + wrong + sealsWithoutAct + actsWithoutSeal;
  return faults === 0 && (requests === undefined || isWithinLimits(requests));
};

/** What a soak is opened with. */
export interface SoakContext {
  postgres: Postgres;
  /** Of its superuser, and whatever else needs one. */
  password: string;
  nats: NatsServer;
  /** How many there are to be. */
  events: number;
  cleanup: Cleanup;
  progress(line: string): void;
  /** The fault that came last. */
  lastFault(): string;
  /** How long Postgres took no connections since a moment, by `performance.now()`. */
  outageMs(since: number): number;
}

/** The events so far, and whatever else progress shows. */
export type Counts = { events: number } & Record<string, number>;

/** Something that runs under load, and can be broken. */
export interface Scene {
  processes: ProcessGroup;
  /** Whether the next fault waits until all processes run, and not only until events come again. */
  waitsForAll?: boolean;
  /** Whether faults come one after the other, each when the last is repaired; `isRepaired` says what that takes beside the processes. */
  isInTurn?: boolean;
  isRepaired?(): Promise<boolean>;
  /** Whether they come in the order of the list. */
  isInOrder?: boolean;
  /** Waits until the next fault would strike in the middle of something. */
  moment?(signal: AbortSignal): Promise<void>;
  /** Whether Postgres stays up. */
  sparesPostgres?: boolean;
  /** What breaks beside Postgres. */
  faults: readonly Fault[];
  /** How long all is well between two faults. */
  wellMs: { least: number; most: number };
  counts(): Counts;
  load(isOver: () => boolean): Promise<void>;
  /** Faults are over, all processes run: waits for what is still under way, and counts. */
  judge(broken: { kills: number }): Promise<Verdict>;
}

const PROGRESS_MS = 3000;
const LOOK_MS = 100;

/**
 * Load goes on while things break, one after the other; then all is well again, and what came of it is counted. Servers are durable, as in
 * production.
 */
export async function soak(options: SoakOptions, open: (context: SoakContext) => Promise<Scene>): Promise<SoakResult> {
  const { nats, events, logs, until = () => true, minutes, signal, progress = () => {} } = options;
  const cleanup = new Cleanup();
  try {
    progress('starting');
    const password = randomBytes(12).toString('hex');
    const postgres = await startPostgres({ durable: true, password });
    cleanup.push(() => postgres.stop());
    let lastFault = 'none';
    const outages = new Outages();
    const outageMs = (since: number) => outages.since(since);
    const scene = await open({ postgres, password, nats, events, cleanup, progress, lastFault: () => lastFault, outageMs });
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
    /** All processes run, and events come again: on a slow machine things would break faster than anything gets done. */
    const whole = async () => {
      if (waitsForAll) await processes.whole();
      while (!load.signal.aborted && scene.isRepaired && !(await scene.isRepaired().catch(() => false))) await pause(LOOK_MS);
      const { events: before } = scene.counts();
      while (!load.signal.aborted && scene.counts().events === before) await pause(LOOK_MS);
    };
    const say = (fault: string) => progress((lastFault = fault));
    const moment = (stopping: AbortSignal) => scene.moment?.(stopping) ?? Promise.resolve();
    const faults = new Faults(breaking, { ...wellMs, whole, isInTurn: scene.isInTurn, isInOrder: scene.isInOrder, moment, say });
    cleanup.push(() => faults.stop().catch(() => undefined)); // it was said where it counted
    const isEnough = () => {
      if (minutes !== undefined) return seconds() >= minutes * 60;
      const counts = scene.counts();
      return counts.events >= events && faults.kills >= kills && until(counts);
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

const inWords = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
