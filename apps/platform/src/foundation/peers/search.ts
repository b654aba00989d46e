import { Refusal, type ErrorKey, type PeerSubject } from '@codase/contracts';

/** Refusals that do not say whether a region has what is sought. */
const UNSURE: readonly ErrorKey[] = ['region.rebase_required', 'db.writes_paused', 'service.unavailable', 'platform.out_of_order'];

type AboutRegion = 'region.rebase_required' | 'platform.out_of_order';

/** What the refusals of a region mean for something that is sought. */
export interface SearchRefusals {
  /** The refusals by which a region says that it does not have it. */
  notFound: readonly ErrorKey[];
  /** Further refusals that leave open whether the region has it. */
  unsure?: readonly ErrorKey[];
  /** What is thrown in place of a refusal about a region, for a user who called the right base. When absent, see `movedMeanwhile`. */
  instead?: Partial<Record<AboutRegion, 'db.writes_paused' | 'service.unavailable' | 'twofa.unavailable'>>;
}

/** Whether another region may still have it after this refusal. */
export const isMaybeElsewhere = (error: unknown, { notFound, unsure = [] }: SearchRefusals): error is Refusal =>
  error instanceof Refusal && [...UNSURE, ...notFound, ...unsure].includes(error.key);

/** Replaces a refusal that names another base: the customer called the right base, and the company is moving, which takes a moment. */
export const movedMeanwhile = (error: unknown, instead: 'db.writes_paused' | 'service.unavailable'): unknown =>
  error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal(instead) : error;

/** Returns each item that regions have gathered once, the oldest first: while a company moves, both of its regions may have its items. */
export function onceEach<T, K extends keyof T>(items: readonly T[], id: K, time: K): T[] {
  const byId = new Map(items.map((item) => [item[id], item]));
  return [...byId.values()].toSorted((one, other) => (one[time] < other[time] ? -1 : 1));
}

/** Replaces a refusal about a region as a search says. */
export function forUser(error: unknown, { kind }: PeerSubject, { instead }: SearchRefusals): unknown {
  if (!instead) return movedMeanwhile(error, kind === 'read' ? 'service.unavailable' : 'db.writes_paused');
  const key = error instanceof Refusal && instead[error.key as AboutRegion];
  return key ? new Refusal(key) : error;
}
