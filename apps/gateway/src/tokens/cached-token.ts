/** A token as the gateway holds it, with the base it is used at. */
export interface CachedToken {
  access_token: string;
  api_url: string;
  renew_at: number;
  expires_at: number;
}

/** A token is renewed after nine tenths of its life: the rest is time to retry while the front door cannot be reached. @spec D1-5.4 */
const USED_PART = 0.9;
/** A token is not used in its last seconds, so that none expires on its way. */
const LAST_SECONDS = 30;

export function hold(
  { access_token, api_url, expires_in }: { access_token: string; api_url: string; expires_in: number },
  now: Date,
): CachedToken {
  const [issuedAt, life] = [now.getTime(), expires_in * 1000];
  return { access_token, api_url, renew_at: issuedAt + life * USED_PART, expires_at: issuedAt + Math.max(0, life - LAST_SECONDS * 1000) };
}

export const isFresh = ({ renew_at }: CachedToken, now: Date): boolean => now.getTime() < renew_at;

export const isUsable = ({ expires_at }: CachedToken, now: Date): boolean => now.getTime() < expires_at;
