import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Makes a key and a certificate for 127.0.0.1 and localhost, valid for a day. A client trusts it by using `cert` as its `ca`. */
export function selfSignedCertificate({ until = Date.now() + DAY_MS } = {}): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = certificate(privateKey, publicKey, until);
  const body = der.toString('base64').replace(/.{1,64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${body}-----END CERTIFICATE-----\n`,
  };
}

/** Writes a certificate with the fewest fields that RFC 5280, section 4.1, demands. */
function certificate(privateKey: KeyObject, publicKey: KeyObject, until: number): Buffer {
  const algorithm = sequence(ECDSA_SHA256);
  const name = sequence(tagged(0x31, sequence(COMMON_NAME, tagged(0x0c, Buffer.from('localhost')))));
  const validity = sequence(time(until - 2 * DAY_MS), time(until));
  const serial = tagged(0x02, Buffer.concat([Buffer.of(1), randomBytes(15)]));
  const names = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, Buffer.of(127, 0, 0, 1)));
  const extensions = tagged(0xa3, sequence(sequence(SUBJECT_ALT_NAME, tagged(0x04, names))));
  const version3 = tagged(0xa0, tagged(0x02, Buffer.of(2)));
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const body = sequence(version3, serial, algorithm, name, validity, name, spki, extensions);
  const signature = tagged(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  return sequence(body, algorithm, signature);
}

const objectId = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const ECDSA_SHA256 = objectId('2a8648ce3d040302');
const COMMON_NAME = objectId('550403');
const SUBJECT_ALT_NAME = objectId('551d11');

/** Writes a UTCTime: a two-digit year, precise to the second. */
function time(at: number): Buffer {
  return tagged(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replace(/\D/g, '')}Z`));
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

/** Writes a DER element: tag, length, content. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const n = content.length;
  const length = n < 128 ? [n] : n < 256 ? [0x81, n] : [0x82, n >> 8, n & 0xff];
  return Buffer.concat([Buffer.of(tag, ...length), content]);
}
