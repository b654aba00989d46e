export { TOKENS } from './capability.ts';
export {
  FRONT_DOOR_BASE,
  onlyKey,
  PAIRWISE,
  signOther,
  signToken,
  verifySignature,
  type KnownKeys,
  type SigningKey,
  type VerificationKey,
} from './access-token.ts';
export { APP_SIGN_INS, type AppAnswer, type AppSignIns, type ExchangedCode } from './app-sign-ins.hook.ts';
export { userOf, type KnownCaller } from './callers.ts';
export { SESSION_BOUND, type BoundBy, type BoundSession, type SessionBound } from './session-bound.hook.ts';
export { readDeviceJws, type DeviceJws } from './dpop/device-jws.ts';
export { isRecent } from './dpop/dpop-proof.ts';
export { UsedProofs } from './dpop/used-proofs.store.ts';
export { hashGrantSecret, newGrantSecret } from './grant-secret.ts';
export { BucketMap } from './limits/bucket-map.ts';
export { RateLimits } from './limits/rate-limits.service.ts';
export { LocalSessions } from './local-sessions.service.ts';
export { REVOCATIONS } from './revocations.ts';
export type { SignInProof } from './sessions.ts';
export { SessionsStore } from './sessions.store.ts';
export { readSigningKey, verificationKey } from './signing-key.service.ts';
export { KNOWN_KEYS } from './published-keys.service.ts';
export { readSigningKeys, SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
export { VerifiedTokens } from './verified-tokens.ts';
export { EXPIRED_ROWS, type ExpiredRows } from './expired-rows.hook.ts';
