import { Refusal } from '@cds/contracts';
import { eventually } from './eventually.ts';

/** Asks again where a region had too much else to do, as on a busy machine: what is refused for that has not happened. */
export const whenAvailable = <T extends object>(ask: () => Promise<T>): Promise<T> => eventually<T>(() => ask().catch(unlessUnavailable));

function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.key !== 'service.unavailable') throw error;
}
