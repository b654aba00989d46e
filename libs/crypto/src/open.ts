/** The second entry point: all that uses a private key. For the decryptor, a person's device, callers of plugins, and tests. */
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
