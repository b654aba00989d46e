import { constants, createHash, verify, X509Certificate, type VerifyKeyObjectInput } from 'node:crypto';
import { NotDer, readElement, TAG, type Element } from './der.ts';
import { digestOf, OID } from './oids.ts';
import { issuerAndSerial, retagged } from './signed-data.ts';

/** A CMS SignedData of any origin, as far as it says who signed what. */
export interface ReadSignedData {
  /** The bytes of the structure, without any bytes after it. */
  whole: Buffer;
  contentType: string;
  /** The signed content, when the structure contains it. */
  content: Buffer | undefined;
  certificates: readonly X509Certificate[];
  /** The signer's certificate, found by the issuer and serial number in the signature. */
  certificate: X509Certificate;
  digest: string;
  signature: Buffer;
  /** The first value of each attribute, by the attribute's type. */
  signedAttributes: ReadonlyMap<string, Element>;
  unsignedAttributes: ReadonlyMap<string, Element>;
  /** Whether the certificate's key signed the attributes. When the attributes name a certificate, it must be this one. */
  isSigned: boolean;
}

/** Reads a SignedData with one signer. Throws when the bytes have another form. */
export function readSignedData(bytes: Buffer): ReadSignedData {
  const outer = readElement(bytes);
  const info = outer.enter();
  if (info.next().oid() !== OID.signedData) throw new NotDer('no SignedData');
  const data = info.next(TAG.context0).enter(TAG.context0).next().enter();
  data.next(TAG.integer);
  data.next(TAG.set);
  const encapsulated = data.next().enter();
  const contentType = encapsulated.next().oid();
  const content = encapsulated.optional(TAG.context0)?.enter(TAG.context0).next(TAG.octets).content;
  const certificates = (data.optional(TAG.context0)?.children() ?? []).map(({ whole }) => new X509Certificate(whole));
  data.optional(TAG.context1); // revocation lists
  const signers = data.next(TAG.set).children();
  if (signers.length !== 1) throw new NotDer('not exactly one signer');
  return { whole: outer.whole, contentType, content, certificates, ...readSigner(signers[0]!, certificates) };
}

function readSigner(signer: Element, certificates: readonly X509Certificate[]) {
  const fields = signer.enter();
  fields.next(TAG.integer);
  const name = fields.next(TAG.sequence).whole;
  const digest = digestOf(fields.next());
  const attributes = fields.next(TAG.context0);
  const algorithm = fields.next(TAG.sequence);
  const signature = fields.next(TAG.octets).content;
  const unsigned = fields.optional(TAG.context1);
  const certificate = certificates.find(({ raw }) => issuerAndSerial(raw).equals(name));
  if (!certificate) throw new NotDer("the signer's certificate is missing");
  if (!digest) throw new NotDer('a digest that is not taken');
  const signedAttributes = attributesOf(attributes);
  const isNamed = namesCertificate(signedAttributes.get(OID.signingCertificateV2), certificate);
  return {
    certificate,
    digest,
    signature,
    signedAttributes,
    unsignedAttributes: unsigned ? attributesOf(unsigned) : new Map<string, Element>(),
    isSigned: isNamed && isSignedBy(certificate, retagged(attributes.whole, TAG.set), { digest, algorithm, signature }),
  };
}

function attributesOf(set: Element): Map<string, Element> {
  return new Map(
    set.children().map((attribute) => {
      const fields = attribute.enter();
      const type = fields.next().oid();
      const [value] = fields.next(TAG.set).children();
      if (!value) throw new NotDer('an attribute without a value');
      return [type, value];
    }),
  );
}

function namesCertificate(attribute: Element | undefined, certificate: X509Certificate): boolean {
  if (!attribute) return true;
  const first = attribute.enter().next().enter().next().enter();
  const algorithm = first.optional(TAG.sequence);
  const digest = algorithm ? digestOf(algorithm) : 'sha256';
  return digest !== undefined && createHash(digest).update(certificate.raw).digest().equals(first.next(TAG.octets).content);
}

function isSignedBy(
  { publicKey }: X509Certificate,
  data: Buffer,
  { digest, algorithm, signature }: { digest: string; algorithm: Element; signature: Buffer },
): boolean {
  const isPss = algorithm.enter().next().oid() === OID.rsaPss;
  const key: VerifyKeyObjectInput = isPss
    ? { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
    : { key: publicKey };
  return verify(digest, data, key, signature);
}
