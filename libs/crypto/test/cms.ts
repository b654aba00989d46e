// A CMS AuthEnvelopedData (RFC 5083, RFC 5084) around the parts of an envelope. Written independently of the DER code under test.

const OID = {
  authEnvelopedData: '060b2a864886f70d0109100117',
  data: '06092a864886f70d010701',
  rsaesOaep: '06092a864886f70d010107',
  mgf1: '06092a864886f70d010108',
  sha256: '0609608648016503040201',
  aes256Gcm: '060960864801650304012e',
};
const [INTEGER_0, INTEGER_2, INTEGER_16] = ['020100', '020102', '020110'].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer, Buffer];
const [SEQUENCE, SET, OCTETS, CONTEXT_0, CONTEXT_1, IMPLICIT_0] = [0x30, 0x31, 0x04, 0xa0, 0xa1, 0x80] as const;

/** Which OAEP: SHA-256 for values, SHA-1 (the default of OpenSSL) for account envelopes. */
export type Oaep = 'sha256' | 'sha1';

/** The members of an envelope, decoded to bytes. */
export interface Parts {
  k: Buffer;
  iv: Buffer;
  d: Buffer;
}

/** The DER that `openssl cms -decrypt` takes. */
export function authEnvelopedData(oaep: Oaep, { k, iv, d }: Parts): Buffer {
  const anyKeyIdentifier = element(IMPLICIT_0, Buffer.alloc(20));
  const wrapping = element(SEQUENCE, oid('rsaesOaep'), oaepParameters(oaep));
  const recipient = element(SEQUENCE, INTEGER_2, anyKeyIdentifier, wrapping, element(OCTETS, k));
  const gcm = element(SEQUENCE, oid('aes256Gcm'), element(SEQUENCE, element(OCTETS, iv), INTEGER_16));
  const content = element(SEQUENCE, oid('data'), gcm, element(IMPLICIT_0, d.subarray(0, -16)));
  const enveloped = element(SEQUENCE, INTEGER_0, element(SET, recipient), content, element(OCTETS, d.subarray(-16)));
  return element(SEQUENCE, oid('authEnvelopedData'), element(CONTEXT_0, enveloped));
}

/** Absent parameters mean SHA-1 and MGF1 with SHA-1. */
function oaepParameters(oaep: Oaep): Buffer {
  if (oaep === 'sha1') return element(SEQUENCE);
  const sha256 = element(SEQUENCE, oid('sha256'));
  return element(SEQUENCE, element(CONTEXT_0, sha256), element(CONTEXT_1, element(SEQUENCE, oid('mgf1'), sha256)));
}

function oid(name: keyof typeof OID): Buffer {
  return Buffer.from(OID[name], 'hex');
}

function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = Buffer.from([tag, 0x83, content.length >> 16, (content.length >> 8) & 255, content.length & 255]);
  const short = content.length < 128 ? Buffer.from([tag, content.length]) : length;
  return Buffer.concat([short, content]);
}
