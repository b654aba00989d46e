/**
 * The third entry point, for Node only: private keys that threads share, and functions that open synchronously on the calling thread. They
 * cost little more than the one RSA operation, and block their thread for that time. Only the decryptor uses this entry point.
 */
export { accountThreadKey, valueThreadKey, type ThreadKey } from './threads/thread-key.ts';
export { isAttestedAtOnce, openAllAtOnce, type SealedText } from './threads/open-at-once.ts';
