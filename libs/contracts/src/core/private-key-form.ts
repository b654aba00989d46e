import { base64Bytes, fromBase64 } from './base64.ts';
import { ENVELOPE, PRIVATE_KEY_BYTES } from './limits.ts';

/**
 * Checks of an encrypted private key that need no passphrase: that it is long enough, and that it is not the key itself. A key that is sent
 * in the clear would otherwise be stored as it is. @spec D1-2.4 @gap D1-2.4
 */

const SEALED_KEY = { least: PRIVATE_KEY_BYTES.least + ENVELOPE.tag_bytes, most: PRIVATE_KEY_BYTES.most + ENVELOPE.tag_bytes };

/** Returns what is wrong with the `data` of an encrypted_private_key; undefined when it can be ciphertext. */
export function encryptedKeyFault(data: string): string | undefined {
  const bytes = base64Bytes(data);
  if (bytes === undefined) return 'must be base64 of the ciphertext and its tag: standard alphabet, padded';
  if (bytes < SEALED_KEY.least) return `has ${bytes} bytes, and an encrypted RSA-2048 key has at least ${SEALED_KEY.least}`;
  if (bytes > SEALED_KEY.most) return `has ${bytes} bytes, and at most ${SEALED_KEY.most} are taken`;
  return isClear(fromBase64(data))
    ? 'is a private key in the clear: encrypt it before you send it, and replace it, since it was sent'
    : undefined;
}

/** Whether the bytes are a key in the clear. Ciphertext of this length is never text (PEM, JWK, hex, base64), nor begins like DER. */
const isClear = (bytes: Uint8Array) => isText(bytes) || beginsAsKey(bytes) || holds(bytes, RSA_ENCRYPTION);

function isText(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Whether the bytes begin as SEQUENCE { INTEGER version 0 or 1, …: PKCS#8, PKCS#1 and similar forms, whatever follows. */
function beginsAsKey(bytes: Uint8Array): boolean {
  const [tag, form = 0] = bytes;
  const version = bytes.subarray(form < 0x80 ? 2 : 2 + (form & 0x7f));
  return tag === TAG.sequence && version[0] === TAG.integer && version[1] === 1 && version[2]! <= 1;
}

const holds = (bytes: Uint8Array, part: readonly number[]) =>
  bytes.some((_, from) => part.every((octet, nth) => bytes[from + nth] === octet));

const TAG = { integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06, sequence: 0x30 } as const;
const PKCS = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d] as const;
const RSA_ENCRYPTION = [TAG.oid, 9, ...PKCS, 1, 1, 1];
const PBES2 = [...PKCS, 1, 5, 13];
const PBKDF2 = [...PKCS, 1, 5, 12];
const HMAC_SHA256 = [...PKCS, 2, 9];
const AES_256_CBC = [0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 0x2a];
const CBC_BLOCK_BYTES = 16;

const PEM = /^\s*-----BEGIN ENCRYPTED PRIVATE KEY-----\r?\n([A-Za-z0-9+/=\r\n]*)\r?\n-----END ENCRYPTED PRIVATE KEY-----\s*$/;

/** Returns what is wrong with an encrypted PKCS#8 PEM; undefined when a passphrase can open it. @spec D1-2.3 @gap D1-2.3 */
export function encryptedPemFault(pem: string): string | undefined {
  const body = PEM.exec(pem)?.[1]?.replace(/\r?\n/g, '');
  if (body === undefined) return 'must be an encrypted PKCS#8 PEM, which begins with -----BEGIN ENCRYPTED PRIVATE KEY-----';
  const data = base64Bytes(body) === undefined ? undefined : encryptedPart(fromBase64(body));
  if (!data) return 'must hold a key by PBES2 of PBKDF2-SHA256 and AES-256-CBC';
  if (data.length < PRIVATE_KEY_BYTES.least)
    return `holds ${data.length} bytes, and an encrypted RSA-2048 key has at least ${PRIVATE_KEY_BYTES.least}`;
  return data.length % CBC_BLOCK_BYTES === 0 ? undefined : 'holds no whole blocks of AES-CBC: it was cut';
}

/** Returns the ciphertext in EncryptedPrivateKeyInfo; undefined unless it names the only scheme in use. */
function encryptedPart(bytes: Uint8Array): Uint8Array | undefined {
  const [info] = elements(bytes, TAG.sequence);
  const [algorithm, data] = elements(info, TAG.sequence, TAG.octets);
  const [scheme, parameters] = elements(algorithm, TAG.oid, TAG.sequence);
  const [kdf, cipher] = elements(parameters, TAG.sequence, TAG.sequence);
  const [cipherName, iv] = elements(cipher, TAG.oid, TAG.octets);
  const isKnown = isSame(scheme, PBES2) && isPbkdf2(kdf) && isSame(cipherName, AES_256_CBC) && iv?.length === CBC_BLOCK_BYTES;
  return isKnown ? data : undefined;
}

function isPbkdf2(kdf: Uint8Array | undefined): boolean {
  const [name, parameters] = elements(kdf, TAG.oid, TAG.sequence);
  const plain = elements(parameters, TAG.octets, TAG.integer, TAG.sequence);
  // The length of the key is optional, and some writers give it.
  const [salt, , prf] = plain.length ? plain : elements(parameters, TAG.octets, TAG.integer, TAG.integer, TAG.sequence).toSpliced(2, 1);
  const [hash] = elements(prf, TAG.oid, TAG.null);
  return isSame(name, PBKDF2) && salt !== undefined && isSame(hash, HMAC_SHA256);
}

/** Returns the contents of exactly these DER elements, one after the other; none when the bytes are anything else. */
function elements(bytes: Uint8Array | undefined, ...tags: readonly number[]): Uint8Array[] {
  const contents: Uint8Array[] = [];
  let rest = bytes ?? new Uint8Array();
  for (const tag of tags) {
    const [found, form = 0x80] = rest;
    const octets = form < 0x80 ? 0 : form & 0x7f;
    const length = form < 0x80 ? form : rest.subarray(2, 2 + octets).reduce((sum, octet) => sum * 256 + octet, 0);
    const end = 2 + octets + length;
    if (found !== tag || octets > 2 || end > rest.length) return [];
    contents.push(rest.subarray(2 + octets, end));
    rest = rest.subarray(end);
  }
  return rest.length === 0 ? contents : [];
}

const isSame = (bytes: Uint8Array | undefined, expected: readonly number[]) =>
  bytes?.length === expected.length && expected.every((octet, nth) => bytes[nth] === octet);
