import { Refusal, type Endpoint } from '@cds/contracts';
import { troubleOf, type Trouble } from './trouble.ts';
import { isUnexpected } from './understood.ts';

/** What was already done for a call: each thing is done once, waiting a few times. */
export interface SoFar {
  renewed: boolean;
  rebased: boolean;
  repeated: boolean;
  waits: number;
}

export const nothingYet = (): SoFar => ({ renewed: false, rebased: false, repeated: false, waits: 0 });

/** What to do about a call that failed. */
export type Step =
  | { do: 'renew' }
  | { do: 'rebase'; api_url: string }
  | { do: 'wait'; ms: number }
  | { do: 'slow_down'; seconds: number }
  | { do: 'give_up' };

interface Failed {
  error: unknown;
  /** Whether the call may be repeated though nobody knows what became of it. */
  safe: boolean;
  soFar: SoFar;
  /** The base it failed at. */
  base: string;
}

const MOST_WAITS = 10;
/** Before a call is repeated whose line failed. */
const BACKOFF_MS = 200;

/** The server says that it has done nothing, and when to come again. @spec D1-7 */
const UNTOUCHED: readonly string[] = ['db.writes_paused', 'platform.out_of_order'];

/** Reads can be repeated, but those that take away what they answer. */
export const isSafe = ({ method, takes }: Pick<Endpoint, 'method' | 'takes'>): boolean => method === 'GET' && !takes;

/** Says how to go on. Whether there is time for it is the caller's to know. */
export function nextStep({ error, safe, soFar, base }: Failed): Step {
  if (error instanceof Refusal && error.key !== 'service.unavailable') return afterRefusal(error, soFar, base);
  const mayRepeat = troubleWith(error) === 'unsent' || (troubleWith(error) === 'broken' && safe);
  return mayRepeat && !soFar.repeated ? { do: 'wait', ms: BACKOFF_MS } : { do: 'give_up' };
}

/** A refused token is replaced once; a wrong base is corrected once, and a second 421 is an error, not a loop. @spec D1-5.6 */
function afterRefusal(refusal: Refusal, soFar: SoFar, base: string): Step {
  const { key, retryAfter = 1 } = refusal;
  const api_url = newBase(refusal, base);
  if (key === 'auth.token_invalid' && !soFar.renewed) return { do: 'renew' };
  if (api_url && !soFar.rebased) return { do: 'rebase', api_url };
  if (soFar.waits >= MOST_WAITS) return { do: 'give_up' };
  if (UNTOUCHED.includes(key)) return { do: 'wait', ms: retryAfter * 1000 };
  return key === 'rate_limit.exceeded' ? { do: 'slow_down', seconds: retryAfter } : { do: 'give_up' };
}

/** What the asker is told when there is nothing more to try: a refusal as it came, and a failed line in words. */
export function toldOf(error: unknown, safe: boolean): unknown {
  const trouble = error instanceof Refusal ? undefined : troubleWith(error);
  return trouble ? new Refusal('service.unavailable').because(inWords(trouble, safe)) : error;
}

/** A server that has lost its head may have done anything, as a broken line. */
const troubleWith = (error: unknown): Trouble | undefined =>
  troubleOf(error) ?? (isUnexpected(error) || (error instanceof Refusal && error.key === 'service.unavailable') ? 'broken' : undefined);

function inWords(trouble: Trouble, safe: boolean): string {
  if (trouble === 'unsent') return 'The platform cannot be reached, and nothing was sent: repeat the call later';
  const what = trouble === 'late' ? 'The platform did not answer in time' : 'The connection to the platform broke';
  return safe ? `${what}: repeat the call later` : `${what}: the call may have taken effect, so look before you repeat it`;
}

/** A base is followed only if it is as well protected as the one that named it. */
function newBase(refusal: Refusal, base: string): string | undefined {
  const { api_url } = refusal.extras as { api_url?: unknown };
  if (refusal.key !== 'region.rebase_required' || typeof api_url !== 'string' || !URL.canParse(api_url)) return undefined;
  const { protocol } = new URL(api_url);
  return protocol === 'https:' || (protocol === 'http:' && base.startsWith('http:')) ? api_url : undefined;
}
