import { createPrivateKey, X509Certificate } from 'node:crypto';
import forge from 'node-forge';
import { checkedIdentity, IdentityFault } from './certificates.ts';
import type { SealIdentity } from './cms/signed-data.ts';

type Bag = forge.pkcs12.Bag & { asn1: forge.asn1.Asn1 };

/** Reads an operator's certificate, its key and its issuers from a PKCS#12 file. An error says how to fix the file. */
export function readPkcs12(file: Buffer, password: string): SealIdentity {
  const bags = openBags(file, password);
  const { pkcs8ShroudedKeyBag: shrouded, keyBag: plain, certBag } = forge.pki.oids;
  const [keyBag] = [...bags(shrouded!), ...bags(plain!)];
  if (!keyBag) throw new IdentityFault('The PKCS#12 file has no private key.');
  const key = createPrivateKey({ key: keyDer(keyBag), format: 'der', type: 'pkcs8' });
  const certificates = bags(certBag!).map((bag) => new X509Certificate(certificateDer(bag)));
  const certificate = certificates.find((candidate) => candidate.checkPrivateKey(key));
  if (!certificate) throw new IdentityFault('The PKCS#12 file has no certificate for its private key.');
  return checkedIdentity({ certificate, key, chain: certificates.filter((other) => other !== certificate) });
}

function openBags(file: Buffer, password: string): (type: string) => Bag[] {
  try {
    const asn1 = forge.asn1.fromDer(forge.util.createBuffer(file.toString('binary')));
    const opened = forge.pkcs12.pkcs12FromAsn1(asn1, password);
    return (type) => (opened.getBags({ bagType: type })[type] ?? []) as Bag[];
  } catch (error) {
    throw new IdentityFault('The PKCS#12 file does not open: check its password, and that it is whole.', { cause: error });
  }
}

const bytes = (asn1: forge.asn1.Asn1) => Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'binary');

/** The library parses only RSA keys and certificates. It keeps all others as ASN.1 structure. */
const keyDer = ({ key, asn1 }: Bag) => (key ? bytes(forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key))) : bytes(asn1));
const certificateDer = ({ cert, asn1 }: Bag) => bytes(cert ? forge.pki.certificateToAsn1(cert) : asn1);
