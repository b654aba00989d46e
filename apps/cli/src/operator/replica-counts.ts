import { UsageFault } from '@codase/command-line';

/** How many replicas each service has, by the short name of the service, or `all`. */
export type ReplicaCounts = Readonly<Record<string, number>>;

const EXPECTED = 'give a number for all, as in --replicas 2, or one for each, as in --replicas front-door=2,eu=3,us=3,delivery=1';

export function readReplicaCounts(text: string | undefined): ReplicaCounts | undefined {
  if (text === undefined) return undefined;
  const parts = text.split(',').map((part) => /^(?:([a-z0-9-]+)=)?([1-9]\d{0,3})$/.exec(part.trim()));
  if (parts.some((part) => part === null)) throw new UsageFault(`--replicas is '${text}': ${EXPECTED}.`);
  const counts = parts.map((part) => [part![1] ?? 'all', Number(part![2])] as const);
  if (counts.length > 1 && counts.some(([name]) => name === 'all')) throw new UsageFault(`--replicas is '${text}': ${EXPECTED}.`);
  return Object.fromEntries(counts);
}

/** Returns the services of a rotation whose number of replicas is not known. */
export const uncounted = (counts: ReplicaCounts | undefined, services: readonly string[]): string[] =>
  counts?.['all'] !== undefined ? [] : services.filter((service) => counts?.[service] === undefined);

export const countOf = (counts: ReplicaCounts, service: string): number => counts[service] ?? counts['all']!;
