import type { Aims } from './aims.ts';
import type { Fault } from './faults.ts';

/** A part of the stack that is killed as a whole. */
export interface Part<Step extends string, Subject> {
  name: string;
  /** Kills the part. The signal is sent before this returns. Returns undefined when the part is down already. */
  kill(): Promise<unknown> | undefined;
  /** Whether the part serves this subject. All subjects when absent. */
  serves?(subject: Subject): boolean;
  /** The steps at which the part is killed. All steps when absent. */
  at?: readonly Step[];
}

/** How often each part was killed at each step. */
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

/** Kills one of several replicas, the next one each time. */
export function inTurn(name: string, replicas: readonly string[], kill: Kill): Replicated {
  let next = 0;
  return { name, kill: () => kill(replicas[next++ % replicas.length]!) };
}

/** Kills all replicas at once, so that the one that is at work is among them. */
export const allOf = (name: string, replicas: readonly string[], kill: Kill): Replicated => ({
  name,
  kill: () => {
    const killed = replicas.flatMap((replica) => kill(replica) ?? []);
    return killed.length > 0 ? Promise.all(killed) : undefined;
  },
});
