import { createPrivateKey, hkdfSync } from 'node:crypto';
import { newSealingKey, openAtProcess, sealToProcess, type SealedFor } from '../../kit/secrets/process-seal.ts';
import { decrypt, encrypt } from '../../kit/secrets/stored-secrets.ts';

/**
 * Seals the values of a sign-in, so that only the app that exchanges its code gets them. The values are sealed to a key of this sign-in
 * alone. Its private half is encrypted under a key made from the code, which the browser has and the platform does not keep. So neither the
 * bus nor the database has what is needed to read them.
 */

const sealOf = (session_id: string): SealedFor => ({ use: 'codase sign-in values', owner_id: session_id });

/** A key for the values of one sign-in, with its private half as it is stored. */
export function newValuesKey(session_id: string, code: string): { seal_key: string; sealed_private_key: string } {
  const { public_key, privateKey } = newSealingKey();
  const { d } = privateKey.export({ format: 'jwk' });
  return { seal_key: public_key, sealed_private_key: encrypt(keyOf(code), d!, session_id) };
}

export const sealValues = (seal_key: string, session_id: string, values: Readonly<Record<string, string>>): string =>
  sealToProcess(seal_key, sealOf(session_id), JSON.stringify(values));

/** What is stored of the values. */
type Stored = Record<'session_id' | 'seal_key' | 'sealed_private_key' | 'sealed_values', string>;

/** Returns the values; undefined when they were sealed to another key, or the code is another one. */
export function openValues({ session_id, seal_key, sealed_private_key, sealed_values }: Stored, code: string) {
  const d = decrypt(keyOf(code), sealed_private_key, session_id);
  if (d === undefined) return undefined;
  const privateKey = createPrivateKey({ key: { kty: 'OKP', crv: 'X25519', x: seal_key, d }, format: 'jwk' });
  const text = openAtProcess({ public_key: seal_key, privateKey }, sealOf(session_id), sealed_values);
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, string>);
}

const keyOf = (code: string): Buffer => Buffer.from(hkdfSync('sha256', code, '', 'codase sign-in code', 32));
