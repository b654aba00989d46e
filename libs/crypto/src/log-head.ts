import { decodeBase64, decodeSized } from './base64.ts';
import { concatBytes, type Bytes } from './bytes.ts';

/** The public half of a key that signs heads, as a JSON Web Key. */
export interface HeadKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
}

/** The signed head of a transparency log, as it was read. */
export interface LogHead {
  /** The address of the log without its scheme. */
  address: string;
  /** The number of the log, which is a greater one after each restore of the database. */
  log: number;
  size: number;
  /** The root in base64. */
  root: string;
  at: Date;
}

const MAX_CHARS = 2000;
const BASE64 = '[A-Za-z0-9+/=]';
const TIME = '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z';
const NOTE = new RegExp(
  '^(?<text>(?<origin>(?<address>\\S{1,280})/(?<log>[1-9][0-9]{0,8}))\\n(?<size>[0-9]{1,15})\\n' +
    `(?<root>${BASE64}{44})\\ntime (?<time>${TIME})\\n)` +
    `\\n— (?<signer>\\S{1,300}) (?<signature>${BASE64}{92})\\n$`,
);
/** Bytes before a signature, which name its key. */
const KEY_ID_BYTES = 4;
const SIGNATURE_BYTES = 64;
const HASH_BYTES = 32;
const ES256 = { name: 'ECDSA', namedCurve: 'P-256' } as const;

/** Reads a signed head (C2SP tlog-checkpoint); undefined for any other text, and for a head that none of the keys has signed. */
export async function readLogHead(note: string, keys: readonly HeadKey[]): Promise<LogHead | undefined> {
  const found = note.length <= MAX_CHARS ? NOTE.exec(note)?.groups : undefined;
  if (!found || found['signer'] !== found['origin']) return undefined;
  const { address, log, size, root, time, text, signature } = found as Record<string, string>;
  const at = new Date(time!);
  if (Number.isNaN(at.getTime()) || !(await isSignedByOne(text!, signature!, keys))) return undefined;
  return { address: address!, log: Number(log), size: Number(size), root: root!, at };
}

async function isSignedByOne(text: string, signature: string, keys: readonly HeadKey[]): Promise<boolean> {
  const bytes = signatureOf(signature);
  if (!bytes) return false;
  for (const { kty, crv, x, y } of keys) {
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x, y }, ES256, false, ['verify']);
    if (await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes, new TextEncoder().encode(text))) return true;
  }
  return false;
}

function signatureOf(text: string): Bytes | undefined {
  try {
    return concatBytes(decodeSized(text, KEY_ID_BYTES + SIGNATURE_BYTES).subarray(KEY_ID_BYTES));
  } catch {
    return undefined;
  }
}

/** Reads hashes in base64; undefined when one of them is none. */
export function readHashes(texts: readonly string[]): Bytes[] | undefined {
  try {
    const hashes = texts.map((text) => decodeBase64(text));
    return hashes.every(({ length }) => length === HASH_BYTES) ? hashes : undefined;
  } catch {
    return undefined;
  }
}
