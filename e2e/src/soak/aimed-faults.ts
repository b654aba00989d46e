import type { World } from '@codase/testing';
import { AWAY_MS, restart, type Breakable, type Fault } from './faults.ts';

/** Far longer than any subject takes to reach a step, even while something is broken. */
const NOBODY_CAME_MS = 240_000;

/** The action at the moment in which a subject reaches a step. Returns undefined when it does not apply to this subject. */
type Strike<Subject> = (subject: Subject) => Promise<unknown> | undefined;

interface Aim<Step, Subject> {
  step: Step;
  strike: Strike<Subject>;
  hit(struck: Promise<unknown>): void;
}

/** Calls a strike in the same turn of the event loop in which a step is reached. Only one strike can be set at a time. */
export class Aims<Step extends string, Subject> {
  private aim: Aim<Step, Subject> | undefined;

  /** Strikes at the next subject that reaches the step and fits. Returns whether this happened before the signal came. */
  at(step: Step, strike: Strike<Subject>, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => over(() => reject(new Error(`nobody came to the step '${step}'`))), NOBODY_CAME_MS);
      const over = (settle: () => void) => {
        clearTimeout(timer);
        this.aim = undefined;
        signal.removeEventListener('abort', abort);
        settle();
      };
      const abort = () => over(() => resolve(false));
      this.aim = { step, strike, hit: (struck) => over(() => struck.then(() => resolve(true), reject)) };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
  }

  reached(step: Step, subject: Subject): void {
    const { aim } = this;
    if (aim?.step !== step) return;
    const struck = aim.strike(subject);
    if (struck) aim.hit(struck);
  }
}

export interface Part<Step extends string, Subject> {
  name: string;
  /** Kills the part. The signal is sent before this returns. Returns undefined when the part is down already. */
  kill(): Promise<unknown> | undefined;
  /** Whether the part serves this subject. All subjects when absent. */
  serves?(subject: Subject): boolean;
  /** The steps at which the part is killed. All steps when absent. */
  at?: readonly Step[];
}

type KillTable<Step extends string> = Record<string, Record<Step, number>>;

/** Makes one fault for each pair of a part and a step: the part is killed as soon as a subject reaches the step. */
export function aimedFaults<Step extends string, Subject>(
  parts: readonly Part<Step, Subject>[],
  steps: readonly Step[],
  aims: Pick<Aims<Step, Subject>, 'at'>,
): { faults: Fault[]; table: KillTable<Step> } {
  const noKills = () => Object.fromEntries(steps.map((step) => [step, 0])) as Record<Step, number>;
  const table: KillTable<Step> = Object.fromEntries(parts.map(({ name }) => [name, noKills()]));
  const aimed = (part: Part<Step, Subject>, step: Step): Fault => ({
    name: `killed at '${step}': ${part.name}`,
    strike: async (signal) => {
      const kill = (subject: Subject) => (part.serves?.(subject) === false ? undefined : part.kill());
      const isStruck = await aims.at(step, kill, signal);
      if (isStruck) table[part.name]![step] += 1;
      return isStruck;
    },
  });
  return { faults: parts.flatMap((part) => (part.at ?? steps).map((step) => aimed(part, step))), table };
}

type Kill = (replica: string) => Promise<unknown> | undefined;
type Replicated = Pick<Part<never, never>, 'name' | 'kill'>;

export function inTurn(name: string, replicas: readonly string[], kill: Kill): Replicated {
  let next = 0;
  return { name, kill: () => kill(replicas[next++ % replicas.length]!) };
}

export const allOf = (name: string, replicas: readonly string[], kill: Kill): Replicated => ({
  name,
  kill: () => {
    const killed = replicas.flatMap((replica) => kill(replica) ?? []);
    return killed.length > 0 ? Promise.all(killed) : undefined;
  },
});

export const second = (unit: string): string => `${unit} 2`;

export const serverParts = (world: World, postgres: Breakable): Replicated[] => [
  { name: 'NATS', kill: () => world.restartBus({ awayMs: Math.random() * AWAY_MS }) },
  { name: 'Postgres', kill: () => restart(postgres, Math.random() * AWAY_MS) },
];
