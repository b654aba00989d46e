import type { Aims } from './aims.ts';
import type { Fault } from './faults.ts';

/** Something that is killed as a whole. */
export interface Part<Step extends string, Subject> {
  name: string;
  /** Undefined where it is down already. The kill is sent before this returns. */
  kill(): Promise<unknown> | undefined;
  /** Where it has to do with some alone. */
  serves?(subject: Subject): boolean;
  /** Where it is not killed at every step. */
  at?: readonly Step[];
}

/** How often each part was killed at each step. */
export type KillTable<Step extends string> = Record<string, Record<Step, number>>;

/** One fault for each pair of a part and a step: the part is killed as soon as something reaches the step. */
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

/** Takes one after the other of several replicas. */
export function inTurn(name: string, replicas: readonly string[], kill: Kill): Replicated {
  let next = 0;
  return { name, kill: () => kill(replicas[next++ % replicas.length]!) };
}

/** All replicas at once: whichever has it in hand is among them. */
export const allOf = (name: string, replicas: readonly string[], kill: Kill): Replicated => ({
  name,
  kill: () => {
    const killed = replicas.flatMap((replica) => kill(replica) ?? []);
    return killed.length > 0 ? Promise.all(killed) : undefined;
  },
});
