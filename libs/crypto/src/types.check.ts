import { importAccountPublicKey, importValuePublicKey, sealAccountEnvelope, sealValue } from './index.ts';
import { importAccountPrivateKey, importValuePrivateKey, openAccountEnvelope, openValue } from './open.ts';

// What must not compile: a key of one routine that is used by the other. @spec D1-2.3
export async function keysDoNotMix(public_key: string, pkcs8: Uint8Array<ArrayBuffer>): Promise<void> {
  const valueKey = await importValuePublicKey(public_key);
  const accountKey = await importAccountPublicKey(public_key);
  // @ts-expect-error a value is never sealed with SHA-1
  await sealValue(accountKey, '');
  // @ts-expect-error an account envelope is never sealed with SHA-256
  await sealAccountEnvelope(valueKey, '');

  const valueOpener = await importValuePrivateKey(pkcs8);
  const accountOpener = await importAccountPrivateKey(pkcs8);
  // @ts-expect-error a value is never opened with SHA-1
  await openValue(accountOpener, '');
  // @ts-expect-error an account envelope is never opened with SHA-256
  await openAccountEnvelope(valueOpener, '');
}
