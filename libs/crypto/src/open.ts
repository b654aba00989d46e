/**
 * The second entry point: everything that uses a private key. Only the decryptor, a person's own device, code that asks a plugin, and tests
 * import it.
 */
export { CryptoRefusal, type RefusalKind } from './refusal.ts';
export { importValuePrivateKey, openValue, unwrapKey, type ValuePrivateKey } from './open/value-wrapper.ts';
export { importAccountPrivateKey, openAccountEnvelope, type AccountPrivateKey } from './open/account-envelope.ts';
export { openEncryptedPrivateKey } from './open/service-key.ts';
export { readPrivateKeyPem } from './open/pem.ts';
export { writePrivateKeyPem } from './pem.ts';
export { createReplyKey, type ReplyKey } from './open/reply-key.ts';
export { type Passphrase } from './pbkdf2.ts';
export { publicKeyOf } from './open/private-key.ts';
export type { PrivateKeyOptions } from './open/key-pool.ts';
