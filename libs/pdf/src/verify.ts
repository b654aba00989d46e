import { createHash, type X509Certificate } from 'node:crypto';
import { fingerprint } from './certificates.ts';
import { OID } from './cms/oids.ts';
import { readSignedData, type ReadSignedData } from './cms/read-signed-data.ts';
import { signedData } from './cms/signed-data.ts';
import { readTimestamp } from './cms/timestamp.ts';
import { Name, Text, isCount, type Dict } from './file/values.ts';
import { findSignatures, type FoundSignature } from './find-signatures.ts';
import type { PdfLimits } from './limits.ts';
import { SIGNED_LENGTH } from './prepare-seal.ts';
import type { PdfReason } from './refusal.ts';

export { fingerprint } from './certificates.ts';
export { PDF_LIMITS } from './limits.ts';

/**
 * - `sealed`: whole, as this platform sealed it
 * - `altered_after_seal`: the sealed bytes are whole, and something was appended to them
 * - `altered`: a signature does not fit the bytes that it covers, or cannot be read any more
 * - `signed_by_others`: signed and whole, and not by this platform
 * - `not_signed`: there is no signature
 * - `unreadable`: not a PDF that can be read; `reason` says why
 */
export type Verdict = 'sealed' | 'altered_after_seal' | 'altered' | 'signed_by_others' | 'not_signed' | 'unreadable';

/** A certificate in words that people can compare. */
export interface CertificateSummary {
  subject: string;
  issuer: string;
  fingerprint_sha256: string;
  valid_from: string;
  valid_to: string;
}

export interface SignatureReport {
  state: 'whole' | 'altered' | 'unsupported';
  /** Why the signature is not whole. */
  why: string | null;
  covers_whole_file: boolean;
  /** How many bytes of the file follow the bytes that the signature covers. */
  bytes_after: number;
  by_this_platform: boolean;
  /** Whether the document's form lists the signature. An update can remove it from the form, and then readers do not show it. */
  in_form: boolean;
  certificate: CertificateSummary | null;
  /** Whether the certificate was valid at the claimed time. */
  certificate_was_valid: boolean | null;
  signer: string | null;
  reason: string | null;
  /** The time by the signer's own clock. */
  claimed_at: string | null;
  /** The time by a timestamp authority, which is proof. Null when the signature has no timestamp. */
  timestamp: { at: string; certificate: CertificateSummary } | null;
  /** The document that people signed: the length of the first part of the file, and its SHA-256, which is the document's plain_sha256. */
  signed: { bytes: number; sha256: string } | null;
}

export interface Verification {
  verdict: Verdict;
  /** Why the file cannot be read. */
  reason: PdfReason | null;
  bytes: number;
  sha256: string;
  signatures: SignatureReport[];
}

export interface VerifyOptions {
  /** The platform's certificates, including those it used before. */
  certificates?: readonly X509Certificate[];
  limits?: Partial<PdfLimits>;
}

/** Verifies whether some bytes are a PDF that this platform sealed. Never throws because of the content of the bytes. @spec D1-2.12.5 */
export function verify(pdf: Buffer, { certificates = [], limits = {} }: VerifyOptions = {}): Verification {
  const found = findSignatures(pdf, limits);
  const platform = new Set(certificates.map(fingerprint));
  const signatures = found.signatures.map((signature) => report(pdf, signature, platform));
  return {
    verdict: verdictOf(signatures, found.reason),
    reason: found.reason,
    bytes: pdf.length,
    sha256: sha256(pdf),
    signatures,
  };
}

function verdictOf(signatures: readonly SignatureReport[], reason: PdfReason | null): Verdict {
  const own = signatures.filter(({ by_this_platform }) => by_this_platform);
  if (reason !== null && signatures.length === 0) return 'unreadable';
  if (reason !== null) return 'altered';
  if (own.some(({ state, covers_whole_file }) => state === 'whole' && covers_whole_file)) return 'sealed';
  if (own.some(({ state }) => state === 'whole')) return 'altered_after_seal';
  if (signatures.length === 0) return 'not_signed';
  const isWhole = signatures.every(({ state }) => state === 'whole') && signatures.some(({ covers_whole_file }) => covers_whole_file);
  return isWhole ? 'signed_by_others' : 'altered';
}

/** Thrown when a signature fails. The message is a sentence for people. */
class Fault extends Error {
  constructor(
    why: string,
    readonly state: 'altered' | 'unsupported' = 'altered',
  ) {
    super(why);
  }
}

const KINDS = ['ETSI.CAdES.detached', 'adbe.pkcs7.detached'];

function report(pdf: Buffer, { dict, isListed }: FoundSignature, platform: ReadonlySet<string>): SignatureReport {
  const claimed_at = readDate(text(dict, 'M'));
  const result: SignatureReport = {
    state: 'altered',
    why: null,
    covers_whole_file: false,
    bytes_after: 0,
    by_this_platform: false,
    in_form: isListed,
    certificate: null,
    certificate_was_valid: null,
    signer: text(dict, 'Name'),
    reason: text(dict, 'Reason'),
    claimed_at: claimed_at?.toISOString() ?? null,
    timestamp: null,
    signed: null,
  };
  try {
    const { start, end, covered } = readRange(pdf, dict);
    result.bytes_after = pdf.length - covered;
    result.covers_whole_file = covered === pdf.length;
    result.signed = readSigned(pdf, dict, start);
    const kind = dict.get('SubFilter');
    if (!(kind instanceof Name) || !KINDS.includes(kind.value))
      throw new Fault('It is a signature of a kind that is not checked here.', 'unsupported');
    const { contents, isCanonical } = readContents(pdf, start, end);
    const cms = readCms(contents);
    result.certificate = certificateSummary(cms.certificate);
    result.by_this_platform = platform.has(result.certificate.fingerprint_sha256);
    result.certificate_was_valid = claimed_at && isValidAt(cms.certificate, claimed_at);
    const digest = hashOf(cms.digest, pdf.subarray(0, start), pdf.subarray(end, covered));
    if (!cms.signedAttributes.get(OID.messageDigest)?.content.equals(digest)) throw new Fault('The bytes that it covers were changed.');
    if (!cms.isSigned) throw new Fault('The signature is not by the key of its certificate.');
    result.timestamp = timestampOf(cms);
    if (result.by_this_platform && !(isCanonical && isOwnForm(cms, digest))) throw new Fault('The signature itself was changed.');
    result.state = 'whole';
  } catch (error) {
    result.state = error instanceof Fault ? error.state : 'altered';
    result.why = error instanceof Fault ? error.message : 'The signature cannot be read.';
  }
  return result;
}

/**
 * Reads the range of a signature. It must have exactly one gap, and the gap must hold the contents of this very dictionary and nothing
 * else: other bytes outside the range could be replaced without a trace.
 */
function readRange(pdf: Buffer, dict: Dict): { start: number; end: number; covered: number } {
  const range = dict.get('ByteRange');
  const contents = dict.entries.get('Contents');
  if (!Array.isArray(range) || range.length !== 4 || !range.every(isCount) || !contents || dict.source !== pdf) {
    throw new Fault('It does not say which bytes it covers.');
  }
  const [from, before, end, after] = range as [number, number, number, number];
  if (from !== 0 || before !== contents.start || end !== contents.end) throw new Fault('It leaves out more bytes than its own value.');
  if (end + after > pdf.length) throw new Fault('It covers more bytes than the file has: the end is missing.');
  if (dict.hasDuplicates) throw new Fault('It says two things at once.');
  return { start: before, end, covered: end + after };
}

/** Reads the hexadecimal contents. The platform writes lowercase: `isCanonical` reports whether a letter was changed. */
function readContents(pdf: Buffer, start: number, end: number): { contents: Buffer; isCanonical: boolean } {
  const digits = pdf.toString('latin1', start + 1, end - 1);
  if (pdf[start] !== 0x3c || !/^[0-9a-fA-F]*$/.test(digits)) throw new Fault('Its value is not hexadecimal.');
  return { contents: Buffer.from(digits, 'hex'), isCanonical: !/[A-F]/.test(digits) };
}

function readCms(contents: Buffer): ReadSignedData {
  const cms = readSignedData(contents);
  if (contents.subarray(cms.whole.length).some((byte) => byte !== 0)) throw new Fault('Something stands behind its value.');
  if (cms.signedAttributes.get(OID.contentType)?.oid() !== OID.data || cms.content)
    throw new Fault('It signs something else than this file.');
  return cms;
}

/** Whether the signature has exactly the bytes that this library would make of its parts, including the issuers that it names. */
function isOwnForm(cms: ReadSignedData, digest: Buffer): boolean {
  const made = signedData({
    digest,
    certificate: cms.certificate.raw,
    chain: cms.certificates.filter((certificate) => certificate !== cms.certificate).map(({ raw }) => raw),
    isElliptic: cms.certificate.publicKey.asymmetricKeyType === 'ec',
    signature: cms.signature,
    token: cms.unsignedAttributes.get(OID.timestampToken)?.whole,
  });
  return made.equals(cms.whole);
}

function timestampOf(cms: ReadSignedData): SignatureReport['timestamp'] {
  const token = cms.unsignedAttributes.get(OID.timestampToken);
  if (!token) return null;
  try {
    const { at, certificate } = readTimestamp(token.whole, cms.signature);
    return { at: at.toISOString(), certificate: certificateSummary(certificate) };
  } catch (error) {
    throw new Fault((error as Error).message);
  }
}

/** Reads the length of the signed document. It ends before the signature, so a greater length counts as missing. */
function readSigned(pdf: Buffer, dict: Dict, start: number): SignatureReport['signed'] {
  const bytes = dict.get(SIGNED_LENGTH);
  return isCount(bytes) && bytes <= start ? { bytes, sha256: sha256(pdf.subarray(0, bytes)) } : null;
}

const text = (dict: Dict, key: string): string | null => {
  const value = dict.get(key);
  return value instanceof Text ? value.toString().slice(0, 500) : null;
};

/** `D:20261116141500+01'00'` */
function readDate(given: string | null): Date | null {
  const parts = /^D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:Z|([+-])(\d\d)'?(\d\d)'?)?/.exec(given ?? '');
  if (!parts) return null;
  const [, year, month, day, hour, minute, second, sign, hours = '00', minutes = '00'] = parts;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${sign ?? '+'}${hours}:${minutes}`);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Returns the parts of a certificate that people compare. */
export const certificateSummary = (certificate: X509Certificate): CertificateSummary => ({
  subject: oneLine(certificate.subject),
  issuer: oneLine(certificate.issuer),
  fingerprint_sha256: fingerprint(certificate),
  valid_from: new Date(certificate.validFrom).toISOString(),
  valid_to: new Date(certificate.validTo).toISOString(),
});

const oneLine = (name: string | undefined) => (name ?? '').split('\n').join(', ');
const isValidAt = ({ validFrom, validTo }: X509Certificate, at: Date) => new Date(validFrom) <= at && at <= new Date(validTo);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const hashOf = (digest: string, ...parts: Buffer[]) => parts.reduce((hash, part) => hash.update(part), createHash(digest)).digest();
