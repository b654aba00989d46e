/**
 * The third entry point, for Node alone: private keys that threads share, and opening at once on the thread that asks. It costs the one RSA
 * operation and little beside it, and blocks its thread for as long. Only the decryptor goes through it.
 */
export { accountThreadKey, valueThreadKey, type ThreadKey } from './threads/thread-key.ts';
export { isAttestedAtOnce, openAllAtOnce, type SealedText } from './threads/open-at-once.ts';
