/** Who signed in, by which session, and the region that is home to it: the client's, or the user's for a first-party client. */
export interface SignedIn {
  user_id: string;
  session_id: string;
  region: string;
  /** Of an earlier rotation of the same token, whose answer was lost: its successor is given once more. */
  salt?: string | undefined;
}

/** A code to be redeemed, and the refresh token that takes its place; secrets as their hashes. */
export interface CodeRedemption {
  client_id: string;
  code_hash: string;
  redirect_uri: string;
  code_challenge: string;
  next_hash: string;
}

/** A refresh token to be rotated, and the one that takes its place. */
export interface Rotation {
  client_id: string;
  token_hash: string;
  next_hash: string;
  /** What the successor was derived with. */
  next_salt: string;
  /** The region that asks: it may rotate those of users at home in it. Absent for the front door, which serves everybody. */
  region?: string | undefined;
}

/** Sign-ins: the front door keeps them, a region asks it. */
export interface Sessions {
  redeem(redemption: CodeRedemption): Promise<SignedIn>;
  rotate(rotation: Rotation): Promise<SignedIn>;
}
export const SESSIONS = Symbol('Sessions');
