import { createHash, sign, type KeyObject, type X509Certificate } from 'node:crypto';
import { promisify } from 'node:util';
import { der, integer, NULL, octets, oid, readElement, sequence, setOf, TAG } from './der.ts';
import { OID } from './oids.ts';

const signing = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

const SHA256 = sequence(oid(OID.sha256), NULL);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const attribute = (type: string, value: Uint8Array) => sequence(oid(type), der(TAG.set, value));

/** The identity that seals: a certificate, the certificates that lead to its root, and its private key. */
export interface SealIdentity {
  certificate: X509Certificate;
  key: KeyObject;
  /** The certificates of the issuers, in any order. */
  chain?: readonly X509Certificate[];
}

/** The parts of a seal. Its bytes follow from these parts, so that a verifier can check that a seal contains nothing else. */
interface SealParts {
  /** SHA-256 of the bytes that are sealed. */
  digest: Buffer;
  certificate: Buffer;
  chain: readonly Buffer[];
  isElliptic: boolean;
  signature: Buffer;
  token?: Buffer | undefined;
}

/**
 * Returns what is signed: the digest of the file and of the certificates, and no time. PAdES has the claimed time in the PDF itself and
 * forbids it here. The issuers are named too, so that no byte of them can be changed. ETSI EN 319 142-1, 6.3.
 */
function signedAttributes({ digest, certificate, chain }: Pick<SealParts, 'digest' | 'certificate' | 'chain'>): Buffer {
  const named = [certificate, ...chain].map((bytes) => sequence(octets(sha256(bytes))));
  return setOf(
    attribute(OID.contentType, oid(OID.data)),
    attribute(OID.messageDigest, octets(digest)),
    attribute(OID.signingCertificateV2, sequence(sequence(...named))),
  );
}

/** Writes a detached CMS SignedData with one signer. RFC 5652, and RFC 5035 for the attribute that names the certificate. */
export function signedData(parts: SealParts): Buffer {
  const { certificate, chain, signature, isElliptic, token } = parts;
  const signer = sequence(
    integer(1),
    issuerAndSerial(certificate),
    SHA256,
    retagged(signedAttributes(parts), TAG.context0),
    isElliptic ? sequence(oid(OID.ecdsaWithSha256)) : sequence(oid(OID.sha256WithRsa), NULL),
    octets(signature),
    ...(token ? [der(TAG.context1, attribute(OID.timestampToken, token))] : []),
  );
  const content = sequence(integer(1), setOf(SHA256), sequence(oid(OID.data)), der(TAG.context0, certificate, ...chain), setOf(signer));
  return sequence(oid(OID.signedData), der(TAG.context0, content));
}

/** Signs a digest. `stamp` gets the signature and returns the token of a timestamp authority. */
export async function signDigest(
  digest: Buffer,
  { certificate, key, chain = [] }: SealIdentity,
  stamp?: (signature: Buffer) => Promise<Buffer>,
): Promise<Buffer> {
  const known = { digest, certificate: certificate.raw, chain: chain.map(({ raw }) => raw) };
  const signature = await signing('sha256', signedAttributes(known), key);
  const isElliptic = key.asymmetricKeyType === 'ec';
  return signedData({ ...known, isElliptic, signature, token: await stamp?.(signature) });
}

/** Returns the issuer and the serial number, byte for byte as the certificate has them. */
export function issuerAndSerial(certificate: Buffer): Buffer {
  const fields = readElement(certificate).enter().next().enter();
  fields.optional(TAG.context0); // version
  const serial = fields.next(TAG.integer);
  fields.next(TAG.sequence); // signature algorithm
  return sequence(fields.next(TAG.sequence).whole, serial.whole);
}

/** Returns the same element with another tag. */
export function retagged(element: Buffer, tag: number): Buffer {
  const copy = Buffer.from(element);
  copy[0] = tag;
  return copy;
}
