/** A token as the gateway holds it, with the base it is used at. */
export interface HeldToken {
  access_token: string;
  api_url: string;
  renew_at: number;
}

/** Renewed when nine tenths of its life are over, so that none expires in flight. @spec D1-5.4 */
const USED_PART = 0.9;

export const hold = ({ access_token, api_url, expires_in }: { access_token: string; api_url: string; expires_in: number }, now: Date): HeldToken => ({
  access_token,
  api_url,
  renew_at: now.getTime() + expires_in * 1000 * USED_PART,
});

export const isFresh = ({ renew_at }: HeldToken, now: Date): boolean => now.getTime() < renew_at;
