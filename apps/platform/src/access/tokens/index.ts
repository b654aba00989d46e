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
} from './access-token.ts';
export { APP_SIGN_INS, type AppAnswer, type AppSignIns, type ExchangedCode } from './app-sign-ins.hook.ts';
export { userOf, type KnownCaller } from './callers.ts';
export { hashGrantSecret, newGrantSecret } from './grant-secret.ts';
export { LIMITS, RateLimits } from './limits/rate-limits.service.ts';
export { LocalSessions } from './local-sessions.service.ts';
export { ALL_SESSIONS, REVOCATIONS } from './revocations.ts';
export type { SignInProof } from './sessions.ts';
export { SessionsStore } from './sessions.store.ts';
export { REVOCATION_ROWS } from './revoked-tokens.service.ts';
export { readSigningKey, verificationKey } from './signing-key.service.ts';
export { KNOWN_KEYS } from './published-keys.service.ts';
export { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
export { VerifiedTokens } from './verified-tokens.ts';
export { EXPIRED_ROWS, type ExpiredRows } from './expired-rows.hook.ts';
