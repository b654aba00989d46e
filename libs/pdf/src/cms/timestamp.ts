import { createHash, randomBytes, type X509Certificate } from 'node:crypto';
import { der, integer, NotDer, NULL, octets, oid, readElement, sequence, TAG, type Element } from './der.ts';
import { digestOf, OID } from './oids.ts';
import { readSignedData } from './read-signed-data.ts';

/** A timestamp authority that stamps seals. */
export interface TimestampAuthority {
  /** An http or https address. The token is signed, so an attacker on an unencrypted connection can interrupt it but not forge a token. */
  url: string;
  /** How long one request may take. */
  timeoutMs?: number;
  /** The certificates of the authority. When given, a token with any other certificate is refused. */
  certificates?: readonly X509Certificate[];
}

/** The content of a timestamp token. */
interface Timestamp {
  at: Date;
  certificate: X509Certificate;
  nonce: Buffer | undefined;
}

/** Thrown when there is no token, or one that does not fit. Then nothing is sealed. */
export class TimestampFault extends Error {
  override readonly name = 'TimestampFault';
}

/** The number of bytes that a PDF reserves for a token. */
export const MAX_TOKEN_BYTES = 16 * 1024;
const TIMEOUT_MS = 10_000;
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

/** Requests a timestamp token for a signature. RFC 3161, over HTTP as in its section 3.4. */
export async function requestTimestamp(signature: Buffer, authority: TimestampAuthority): Promise<Buffer> {
  const nonce = randomBytes(8);
  const imprint = sequence(sequence(oid(OID.sha256), NULL), octets(sha256(signature)));
  const query = sequence(integer(1), imprint, integer(nonce), der(TAG.boolean, Buffer.from([0xff])));
  const token = tokenOf(await post(authority, query));
  const stamp = readTimestamp(token, signature);
  if (!stamp.nonce || !integer(stamp.nonce).equals(integer(nonce))) throw new TimestampFault('The timestamp answers another request.');
  if (authority.certificates && !authority.certificates.some(({ raw }) => raw.equals(stamp.certificate.raw))) {
    throw new TimestampFault('The timestamp is by another authority than the one that is configured.');
  }
  return token;
}

async function post({ url, timeoutMs = TIMEOUT_MS }: TimestampAuthority, query: Buffer): Promise<Buffer> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
      body: query,
      redirect: 'error',
      signal: late,
    });
    if (!answer.ok) throw new TimestampFault(`The timestamp authority answers ${answer.status}.`);
    return await bounded(answer, late);
  } catch (error) {
    if (error instanceof TimestampFault) throw error;
    throw new TimestampFault('The timestamp authority cannot be reached, or took too long.', { cause: error });
  }
}

/** Reads the body and watches the signal by itself: `fetch` forgets its signal when the garbage collector runs while a body arrives. */
async function bounded(answer: Response, late: AbortSignal): Promise<Buffer> {
  if (!answer.body) return Buffer.alloc(0);
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = answer.body.getReader();
  const stop = () => void reader.cancel(late.reason).catch(() => undefined); // the pending read reports the failure
  late.addEventListener('abort', stop);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      parts.push(next.value);
      length += next.value.length;
      if (length > MAX_TOKEN_BYTES) throw new TimestampFault('The answer of the timestamp authority is too long.');
    }
    late.throwIfAborted();
    return Buffer.concat(parts);
  } finally {
    late.removeEventListener('abort', stop);
    stop(); // the rest of the body is not wanted
  }
}

/** Returns the token of a response that grants one. Throws otherwise. */
function tokenOf(response: Buffer): Buffer {
  try {
    const fields = readElement(response).enter();
    const status = fields.next().enter().next(TAG.integer).content;
    const isGranted = status.length === 1 && status[0]! <= 1; // granted, or granted with modifications
    if (!isGranted) throw new TimestampFault('The timestamp authority refuses to stamp.');
    return fields.next(TAG.sequence).whole;
  } catch (error) {
    if (error instanceof TimestampFault) throw error;
    throw new TimestampFault('The answer of the timestamp authority is no timestamp.', { cause: error });
  }
}

/** Reads a token and checks that it stamps this signature: imprint, signature, and a certificate of a timestamp authority. */
export function readTimestamp(token: Buffer, signature: Buffer): Timestamp {
  try {
    const signed = readSignedData(token);
    if (signed.contentType !== OID.timestampInfo || !signed.content) throw new NotDer('no timestamp');
    const info = readInfo(signed.content);
    const isWhole = digestFits(signed.signedAttributes, signed.digest, signed.content) && signed.isSigned;
    const isAuthority = (signed.certificate.keyUsage ?? []).includes(TIME_STAMPING); // Node's name for the extended key usage
    if (!isWhole || !isAuthority || !info.fits(signature)) throw new NotDer('not a timestamp of this');
    return { at: info.at, certificate: signed.certificate, nonce: info.nonce };
  } catch (error) {
    throw new TimestampFault('The timestamp is damaged, or stamps something else.', { cause: error });
  }
}

/** Whether the signed attributes contain the digest of this content. */
function digestFits(attributes: ReadonlyMap<string, Element>, digest: string, content: Uint8Array): boolean {
  return attributes.get(OID.messageDigest)?.content.equals(createHash(digest).update(content).digest()) ?? false;
}

function readInfo(content: Buffer) {
  const fields = readElement(content).enter();
  fields.next(TAG.integer);
  fields.next(TAG.oid);
  const imprint = fields.next().enter();
  const digest = digestOf(imprint.next());
  const hash = imprint.next(TAG.octets).content;
  fields.next(TAG.integer);
  const at = readGeneralizedTime(fields.next(TAG.generalizedTime).content.toString('latin1'));
  fields.optional(TAG.sequence); // accuracy
  fields.optional(TAG.boolean); // ordering
  const nonce = fields.optional(TAG.integer)?.content;
  const fits = (bytes: Buffer) => digest !== undefined && createHash(digest).update(bytes).digest().equals(hash);
  return { at, nonce, fits };
}

function readGeneralizedTime(text: string): Date {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/.exec(text);
  if (!parts) throw new NotDer('no time');
  const [, year, month, day, hour, minute, second, fraction = ''] = parts;
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`);
}
