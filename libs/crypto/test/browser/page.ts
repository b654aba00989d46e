import {
  createServiceKey,
  importAccountPublicKey,
  importValuePublicKey,
  isAttested,
  isWebhookSignature,
  openBoxText,
  publicKeySha256,
  sealAccountEnvelope,
  sealBox,
  sealValue,
  signWebhook,
  type CryptoRefusal,
} from '../../src/index.ts';
import {
  importAccountPrivateKey,
  importValuePrivateKey,
  openAccountEnvelope,
  openEncryptedPrivateKey,
  openValue,
  readPrivateKeyPem,
  writePrivateKeyPem,
} from '../../src/open.ts';

/** The functions that the tests call in a page, each with JSON in and JSON out. They run in the browser; the tests use their types. */
export const page = {
  isSecureContext: async () => (globalThis as { isSecureContext?: boolean }).isSecureContext,
  hasNode: async () => 'process' in globalThis,
  createServiceKey,
  publicKeySha256,
  isAttested,
  sealBox,
  openBoxText,
  sealValue: async (public_key: string, text: string) => sealValue(await importValuePublicKey(public_key), text),
  sealAccountEnvelope: async (public_key: string, text: string) => sealAccountEnvelope(await importAccountPublicKey(public_key), text),
  openValue: async (pem: string, passphrase: string, wrapper: string) =>
    openValue(await importValuePrivateKey(await readPrivateKeyPem(pem, passphrase)), wrapper),
  openAccountEnvelope: async (pem: string, passphrase: string, envelope: string) =>
    openAccountEnvelope(await importAccountPrivateKey(await readPrivateKeyPem(pem, passphrase)), envelope),
  rewritePem: async (pem: string, from: string, to: string) => writePrivateKeyPem(await readPrivateKeyPem(pem, from), to),
  pemOf: async (encrypted: Parameters<typeof openEncryptedPrivateKey>[0], passphrase: string) =>
    writePrivateKeyPem(await openEncryptedPrivateKey(encrypted, passphrase), passphrase),
  signWebhook: async (secret: string, body: string) => signWebhook(secret, new TextEncoder().encode(body)),
  isWebhookSignature: async (secret: string, body: string, signature: string) =>
    isWebhookSignature(secret, new TextEncoder().encode(body), signature),
};

/** Calls one of these functions; a refusal is returned as its kind. */
export async function call(name: keyof typeof page, args: unknown[]): Promise<unknown> {
  const work = page[name] as (...args: unknown[]) => Promise<unknown>;
  return work(...args).then(
    (value) => ({ value }),
    (error: CryptoRefusal) => ({ refused: error.kind ?? String(error) }),
  );
}
