import { Refusal } from '@cds/contracts';
import type { HttpFault } from '@cds/testing';

const answer = (refusal: Refusal): HttpFault => ({
  status: refusal.status,
  body: refusal.toBody(),
  ...(refusal.retryAfter !== undefined && { headers: { 'retry-after': String(refusal.retryAfter) } }),
});

/** What the platform, or a proxy on the way to it, may answer instead: too many, not now, not here, or nothing that makes sense. */
export const faultsOf = (api_url: string): readonly HttpFault[] => [
  'cut before',
  'cut after',
  answer(new Refusal('rate_limit.exceeded').after(1)),
  answer(new Refusal('db.writes_paused').after(1)),
  answer(new Refusal('region.rebase_required', { api_url })),
  { status: 502, body: 'bad gateway' },
];

/** One request in so many meets one of these. */
export const sometimes = (oneIn: number, faults: readonly HttpFault[]) => (): HttpFault | undefined =>
  Math.random() * oneIn < 1 ? faults[Math.floor(Math.random() * faults.length)] : undefined;
