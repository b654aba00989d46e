import type { Fault } from '../faults.ts';
import type { Login } from './logins.ts';
import type { StepWatcher } from './step-watcher.ts';
import { STEPS, type Step } from './steps.ts';

/** Something that is killed as a whole. */
export interface Part {
  name: string;
  /** Undefined where it is down already. The kill is sent before this returns. */
  kill(): Promise<unknown> | undefined;
  /** Where it has to do with some logins alone. */
  serves?(login: Login): boolean;
  /** Where it is not killed at every step. */
  at?: readonly Step[];
}

/** How often each part was killed at each step. */
export type KillTable = Record<string, Record<Step, number>>;

/** One fault for each pair of a part and a step: the part is killed as soon as a login reaches the step. */
export function aimedFaults(parts: readonly Part[], watcher: StepWatcher): { faults: Fault[]; table: KillTable } {
  const table: KillTable = Object.fromEntries(parts.map(({ name }) => [name, noKills()]));
  const aimed = (part: Part, step: Step): Fault => ({
    name: `killed at '${step}': ${part.name}`,
    strike: async (signal) => {
      const kill = (login: Login) => (part.serves?.(login) === false ? undefined : part.kill());
      const isStruck = await watcher.at(step, kill, signal);
      if (isStruck) table[part.name]![step] += 1;
      return isStruck;
    },
  });
  return { faults: parts.flatMap((part) => (part.at ?? STEPS).map((step) => aimed(part, step))), table };
}

const noKills = () => Object.fromEntries(STEPS.map((step) => [step, 0])) as Record<Step, number>;

/** Takes one after the other of several replicas. */
export function inTurn(name: string, replicas: readonly string[], kill: (replica: string) => Promise<unknown> | undefined): Part {
  let next = 0;
  return { name, kill: () => kill(replicas[next++ % replicas.length]!) };
}

/** All replicas at once: whichever has the login in hand is among them. */
export const allOf = (name: string, replicas: readonly string[], kill: (replica: string) => Promise<unknown> | undefined): Part => ({
  name,
  kill: () => {
    const killed = replicas.flatMap((replica) => kill(replica) ?? []);
    return killed.length > 0 ? Promise.all(killed) : undefined;
  },
});
