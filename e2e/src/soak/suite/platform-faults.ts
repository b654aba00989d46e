import { Refusal } from '@codase/contracts';
import type { HttpFault } from '@codase/testing';

const answer = (refusal: Refusal): HttpFault => ({
  status: refusal.status,
  body: refusal.toBody(),
  ...(refusal.retryAfter !== undefined && { headers: { 'retry-after': String(refusal.retryAfter) } }),
});

/** The answers that the platform, or a proxy in front of it, may give instead: too many requests, not now, not here, or nonsense. */
export const faultsOf = (api_url: string): readonly HttpFault[] => [
  'cut before',
  'cut after',
  answer(new Refusal('rate_limit.exceeded').after(1)),
  answer(new Refusal('db.writes_paused').after(1)),
  answer(new Refusal('region.rebase_required', { api_url })),
  { status: 502, body: 'bad gateway' },
];

/** Gives one request in this many one of these faults. */
export const sometimes = (oneIn: number, faults: readonly HttpFault[]) => (): HttpFault | undefined =>
  Math.random() * oneIn < 1 ? faults[Math.floor(Math.random() * faults.length)] : undefined;
