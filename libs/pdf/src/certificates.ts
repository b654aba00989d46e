import { createHash, createPrivateKey, generateKeyPair, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { der, integer, NULL, octets, oid, readElement, sequence, setOf, TAG } from './cms/der.ts';
import { OID } from './cms/oids.ts';
import type { SealIdentity } from './cms/signed-data.ts';

const generating = promisify(generateKeyPair);

const EXTENSION = {
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
} as const;
/** Extended key usages: signing of documents (RFC 9336), and e-mail protection, which verifiers from before that RFC look for. */
const PURPOSES = ['1.3.6.1.5.5.7.3.36', '1.3.6.1.5.5.7.3.4'];
const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const RSA_BITS = 3072;
const YEARS = 10;

/** A seal identity in the form in which it is stored. */
export interface StoredIdentity {
  certificate_pem: string;
  private_key_pem: string;
  chain_pem: readonly string[];
}

export interface KeyPair {
  publicKey: KeyObject;
  privateKey: KeyObject;
}

interface NewIdentity {
  name: string;
  now?: Date;
  /** A new key pair is generated when absent. */
  keyPair?: KeyPair | undefined;
}

/**
 * Makes the platform's own certificate: RSA-3072, signed by itself, valid for signing documents and for nothing else. The certificate
 * proves no identity by itself: a verifier gets it from the platform and compares its fingerprint.
 */
export async function createIdentity({ name, now = new Date(), keyPair }: NewIdentity): Promise<SealIdentity> {
  const { publicKey, privateKey } = keyPair ?? (await generating('rsa', { modulusLength: RSA_BITS }));
  return { certificate: selfSigned({ name, now, publicKey, privateKey }), key: privateKey };
}

/** Makes a self-signed certificate for an existing key pair. */
function selfSigned(given: { name: string; now: Date } & KeyPair): X509Certificate {
  const { name, now, publicKey, privateKey } = given;
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const subject = sequence(part(COMMON_NAME, `${name} document seal`), part(ORGANIZATION, name));
  const algorithm = sequence(oid(OID.sha256WithRsa), NULL);
  const [from, until] = [new Date(now.getTime() - 3_600_000), new Date(now)];
  until.setUTCFullYear(until.getUTCFullYear() + YEARS);
  const body = sequence(
    der(TAG.context0, integer(2)),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    subject,
    sequence(time(from), time(until)),
    subject,
    spki,
    der(TAG.context3, sequence(...extensions(spki))),
  );
  return new X509Certificate(sequence(body, algorithm, der(TAG.bits, Buffer.from([0]), sign('sha256', body, privateKey))));
}

const part = (type: string, value: string) => setOf(sequence(oid(type), der(TAG.utf8, Buffer.from(value, 'utf8'))));

/** Writes a time. Dates before 2050 have the form with a two-digit year (UTCTime). */
function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < 2050 ? der(TAG.utcTime, Buffer.from(text.slice(2))) : der(TAG.generalizedTime, Buffer.from(text));
}

function extensions(spki: Buffer): Buffer[] {
  const [, key] = readElement(spki).children();
  const identifier = createHash('sha1').update(key!.content.subarray(1)).digest(); // only names the key (RFC 5280), protects nothing
  return [
    extension(EXTENSION.basicConstraints, sequence(), true),
    extension(EXTENSION.keyUsage, der(TAG.bits, Buffer.from([6, 0b1100_0000])), true), // digitalSignature and nonRepudiation
    extension(EXTENSION.extendedKeyUsage, sequence(...PURPOSES.map(oid))),
    extension(EXTENSION.subjectKeyIdentifier, octets(identifier)),
    extension(EXTENSION.authorityKeyIdentifier, sequence(der(0x80, identifier))),
  ];
}

const extension = (type: string, value: Buffer, critical = false) =>
  sequence(oid(type), ...(critical ? [der(TAG.boolean, Buffer.from([0xff]))] : []), octets(value));

export function storeIdentity({ certificate, key, chain = [] }: SealIdentity): StoredIdentity {
  return {
    certificate_pem: certificate.toString(),
    private_key_pem: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    chain_pem: chain.map(String),
  };
}

export function loadIdentity({ certificate_pem, private_key_pem, chain_pem }: StoredIdentity): SealIdentity {
  return checkedIdentity({
    certificate: new X509Certificate(certificate_pem),
    key: createPrivateKey(private_key_pem),
    chain: chain_pem.map((pem) => new X509Certificate(pem)),
  });
}

/** Thrown for an identity that cannot be used to seal. */
export class IdentityFault extends Error {
  override readonly name = 'IdentityFault';
}

/** Returns the identity when its key fits its certificate and is of a kind that seals are made with. Throws otherwise. */
export function checkedIdentity(identity: SealIdentity): SealIdentity {
  const { certificate, key } = identity;
  const { modulusLength = 0, namedCurve } = key.asymmetricKeyDetails ?? {};
  const isStrong = key.asymmetricKeyType === 'rsa' ? modulusLength >= 2048 : namedCurve === 'prime256v1';
  if (!isStrong) throw new IdentityFault('Seals are made with RSA keys of 2,048 bits or more, or with keys on the curve P-256.');
  if (!certificate.checkPrivateKey(key)) throw new IdentityFault('The private key is not that of the certificate.');
  return identity;
}

/** The fingerprint that people compare: lowercase hex of the SHA-256 of the certificate. */
export const fingerprint = (certificate: X509Certificate): string => createHash('sha256').update(certificate.raw).digest('hex');
