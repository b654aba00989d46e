import { createPrivateKey, createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServiceKey } from '@codase/crypto';
import { importValuePrivateKey, type ReplyKey } from '@codase/crypto/open';

type JsonWebKey = webcrypto.JsonWebKey;

/** The content of `keys.json` beside this file. */
interface KeptKeys {
  service_keys: [ServiceKey, ServiceKey, ServiceKey, ServiceKey, ServiceKey, ServiceKey];
  rsa_2048: JsonWebKey;
  rsa_3072: JsonWebKey;
  seal_keys: [JsonWebKey, JsonWebKey, JsonWebKey];
  plugin_keys: [JsonWebKey, JsonWebKey, JsonWebKey, JsonWebKey];
}

const kept = JSON.parse(readFileSync(new URL('./keys.json', import.meta.url), 'utf8')) as KeptKeys;

/**
 * Keys that `createServiceKey` made once, for every test that is not about making keys: the search for primes takes half a second of CPU.
 * All worlds use the first two.
 */
export const SERVICE_KEYS = kept.service_keys;

/** Returns a private key without a passphrase, a form in which keys must never be sent. */
export const clearKey = (bits: 2048 | 3072): KeyObject => createPrivateKey({ format: 'jwk', key: kept[`rsa_${bits}`] });

let sealKeys = 0;

/**
 * Returns a key pair for a seal certificate, taking the stored ones in turn: making a pair takes more than a second of CPU. The two regions
 * of a world get different pairs.
 */
export function sealKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  const key = kept.seal_keys[sealKeys++ % kept.seal_keys.length]!;
  const privateKey = createPrivateKey({ format: 'jwk', key });
  return { publicKey: createPublicKey(privateKey), privateKey };
}

/** The RSA-2048 keys that questions to plugins and their replies are sealed to. Making one takes half a second of CPU. */
const PLUGIN_KEYS = kept.plugin_keys.map((key) => createPrivateKey({ format: 'jwk', key }));
const inTurn = <T>(all: readonly T[]) => {
  let used = 0;
  return () => all[used++ % all.length]!;
};

/** Returns the key of a plugin as PEM, the next one on each call. */
export const pluginKeyPem = inTurn(PLUGIN_KEYS.map((key) => key.export({ type: 'pkcs8', format: 'pem' }).toString()));

const replyKeys = inTurn(PLUGIN_KEYS.map(replyKeyOf));

/** Returns the reply key for one question, the next one on each call. */
export const replyKey = (): Promise<ReplyKey> => replyKeys()();

/** Imports the key on first use. */
function replyKeyOf(key: KeyObject): () => Promise<ReplyKey> {
  let made: Promise<ReplyKey> | undefined;
  const make = async () => ({
    reply_key: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
    privateKey: await importValuePrivateKey(new Uint8Array(key.export({ type: 'pkcs8', format: 'der' }))),
  });
  return () => (made ??= make());
}
