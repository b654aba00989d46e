import type { DeviceKey } from '@codase/contracts';

/** What signed a user in: the password alone, a code after it, or a browser that is trusted in place of the code. */
export type SignInProof = 'password' | 'code' | 'trusted_browser';

/** A user who signed in, the session, and the home region: that of the client, or that of the user for a first-party client. */
export interface SignedIn {
  user_id: string;
  session_id: string;
  region: string;
  /** The salt of an earlier rotation of the same token, whose answer was lost: the same successor is given once more. */
  salt?: string | undefined;
  /** The thumbprint of the key that the session was bound to by then. */
  jkt?: string | null | undefined;
}

/** The key of a device that a sign-in is bound to. */
export interface BoundKey {
  key: DeviceKey;
  jkt: string;
}

/** A code to be redeemed, and the refresh token that replaces it. Secrets are given as their hashes. */
export interface CodeRedemption {
  client_id: string;
  code_hash: string;
  redirect_uri: string;
  code_challenge: string;
  /** Absent for a sign-in app, which gets no refresh token. */
  next_hash?: string | undefined;
  /** The key that the new session is bound to, if it is. */
  bound?: BoundKey | undefined;
}

/** A refresh token to be rotated, and the one that replaces it. */
export interface Rotation {
  client_id: string;
  token_hash: string;
  next_hash: string;
  /** The salt that the successor was derived with. */
  next_salt: string;
  /** The key that the request proved. A bound session needs its own; one that is not bound yet is bound from now on. */
  bound?: BoundKey | undefined;
  /** The region that asks, which may rotate only the tokens of users at home in it. Absent for the front door, which serves everybody. */
  region?: string | undefined;
}

/** The sessions of users who signed in. The front door keeps them, and a region asks the front door. */
export interface Sessions {
  /** Refuses where no codes are redeemed. @spec D1-4.1 */
  checkRedeems(): void;
  redeem(redemption: CodeRedemption): Promise<SignedIn>;
  rotate(rotation: Rotation): Promise<SignedIn>;
}
export const SESSIONS = Symbol('Sessions');
