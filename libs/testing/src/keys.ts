import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServiceKey } from '@cds/crypto';
import { importValuePrivateKey, type ReplyKey } from '@cds/crypto/open';

/** Of the file beside this one. */
interface KeptKeys {
  service_keys: [ServiceKey, ServiceKey, ServiceKey, ServiceKey, ServiceKey, ServiceKey];
  rsa_2048: JsonWebKey;
  rsa_3072: JsonWebKey;
  seal_keys: [JsonWebKey, JsonWebKey, JsonWebKey];
  plugin_keys: [JsonWebKey, JsonWebKey, JsonWebKey, JsonWebKey];
}

const kept = JSON.parse(readFileSync(new URL('./keys.json', import.meta.url), 'utf8')) as KeptKeys;

/**
 * Keys that `createServiceKey` made once, for every test that is not about making one: the search for primes takes half a second of CPU.
 * All worlds use the first two.
 */
export const SERVICE_KEYS = kept.service_keys;

/** Private keys without a passphrase, as they must never be sent. */
export const clearKey = (bits: 2048 | 3072): KeyObject => createPrivateKey({ format: 'jwk', key: kept[`rsa_${bits}`] });

let sealKeys = 0;

/** For a certificate of seals, one after the other: making a pair takes more than a second of CPU. Two regions of a world have two. */
export function sealKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  const key = kept.seal_keys[sealKeys++ % kept.seal_keys.length]!;
  const privateKey = createPrivateKey({ format: 'jwk', key });
  return { publicKey: createPublicKey(privateKey), privateKey };
}

/** What questions to plugins and their replies are sealed to: RSA-2048, each of which takes half a second of CPU to make. */
const PLUGIN_KEYS = kept.plugin_keys.map((key) => createPrivateKey({ format: 'jwk', key }));
const inTurn = <T>(all: readonly T[]) => {
  let used = 0;
  return () => all[used++ % all.length]!;
};

/** Keys of plugins as PEM, another one each time. */
export const pluginKeyPem = inTurn(PLUGIN_KEYS.map((key) => key.export({ type: 'pkcs8', format: 'pem' }).toString()));

const replyKeys = inTurn(PLUGIN_KEYS.map(replyKeyOf));

/** For the reply to one question; that to the next one has another. */
export const replyKey = (): Promise<ReplyKey> => replyKeys()();

/** Imported when it is first asked for. */
function replyKeyOf(key: KeyObject): () => Promise<ReplyKey> {
  let made: Promise<ReplyKey> | undefined;
  const make = async () => ({
    reply_key: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKey: await importValuePrivateKey(new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }))),
  });
  return () => (made ??= make());
}
