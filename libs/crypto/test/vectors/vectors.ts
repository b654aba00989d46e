import {
  createServiceKey,
  importAccountPublicKey,
  importValuePublicKey,
  sealAccountEnvelope,
  sealBox,
  sealValue,
} from '../../src/index.ts';
import type { Oaep, Parts } from '../cms.ts';
import { Openssl } from '../openssl.ts';

export type Vectors = Awaited<ReturnType<typeof makeVectors>>;

const PASSPHRASE = 'correct horse, battery staple: åäö';
const TEXTS = ['', 'Ada', 'Åsa Öberg, Malmö 🏠', '{"street":"Storgatan 1","city":"Malmö"}', '\ufeffkept', 'x'.repeat(1000)];
const SECRET = 'hush-åäö';

/** Everything that the interoperation tests read: made by OpenSSL, or made by our code and opened by OpenSSL. */
export async function makeVectors() {
  const version = Openssl.version();
  if (!version) throw new Error('No OpenSSL 3 on the PATH: install it to make the vectors anew.');
  const openssl = new Openssl();
  try {
    const privatePem = openssl.createKey('-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048');
    const public_key = openssl.publicKey(privatePem);
    return {
      about: 'Made by make-vectors.mjs. The keys were generated for these tests and protect nothing.',
      openssl: version,
      key: { public_key, public_key_sha256: openssl.sha256(Buffer.from(public_key, 'base64')), passphrase: PASSPHRASE },
      pems: pems(openssl, privatePem),
      madeByOpenssl: madeByOpenssl(openssl, privatePem),
      openedByOpenssl: await openedByOpenssl(openssl, privatePem, public_key),
      refused: refused(openssl, privatePem),
    };
  } finally {
    openssl.dispose();
  }
}

function pems(openssl: Openssl, privatePem: string) {
  const aes256 = ['-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA256'];
  return {
    'as the portal writes it': openssl.encryptPem(privatePem, PASSPHRASE),
    'with the iterations OpenSSL takes by default': openssl.encryptPem(privatePem, PASSPHRASE, aes256),
    'with the fewest iterations': openssl.encryptPem(privatePem, PASSPHRASE, [...aes256, '-iter', '1000']),
  };
}

function madeByOpenssl(openssl: Openssl, privatePem: string) {
  const seal = (oaep: Oaep, plaintext: string) => envelope(openssl.seal(oaep, privatePem, Buffer.from(plaintext)));
  const sealed = (oaep: Oaep) => TEXTS.map((plaintext) => ({ plaintext, text: seal(oaep, plaintext) }));
  const body = '{"event":"field_updated","person":"Åsa"}';
  return {
    values: sealed('sha256'),
    accountEnvelopes: sealed('sha1'),
    boxes: TEXTS.map((plaintext) => box(openssl, plaintext)),
    signature: { secret: SECRET, body, hex: openssl.hmac(SECRET, Buffer.from(body)) },
    attestation: { verified_salt: 'NaCl-å', plaintext: '1990-01-31', verified_hash: openssl.sha256(Buffer.from('NaCl-å1990-01-31')) },
  };
}

async function openedByOpenssl(openssl: Openssl, privatePem: string, public_key: string) {
  const value = await importValuePublicKey(public_key);
  const account = await importAccountPublicKey(public_key);
  const values = await Promise.all(TEXTS.map((text) => sealValue(value, text)));
  const envelopes = await Promise.all(TEXTS.map((text) => sealAccountEnvelope(account, text)));
  const otk = openssl.run(['rand', '-base64', '32']).toString().trim();
  return {
    values: values.map((text) => ({ text, plaintext: openssl.open('sha256', privatePem, partsOf(text)).toString() })),
    accountEnvelopes: envelopes.map((text) => ({ text, plaintext: openssl.open('sha1', privatePem, partsOf(text)).toString() })),
    boxes: await Promise.all(TEXTS.map((text) => boxOpened(openssl, otk, text))),
    serviceKey: await serviceKeyOpened(openssl),
  };
}

/** Keys and files of other kinds, which are refused although all are well formed. */
function refused(openssl: Openssl, privatePem: string) {
  const create = (algorithm: string, ...options: string[]) =>
    openssl.createKey('-algorithm', algorithm, ...options.flatMap((option) => ['-pkeyopt', option]));
  const otherKeys = {
    'RSA-3072': create('RSA', 'rsa_keygen_bits:3072'),
    'RSA-2048 with exponent 3': create('RSA', 'rsa_keygen_bits:2048', 'rsa_keygen_pubexp:3'),
    'RSA-PSS': create('RSA-PSS', 'rsa_keygen_bits:2048'),
    'P-256': create('EC', 'ec_paramgen_curve:P-256'),
  };
  const encrypted = (...options: string[]) => openssl.encryptPem(privatePem, PASSPHRASE, options);
  return {
    publicKeys: mapValues(otherKeys, (pem) => openssl.publicKey(pem)),
    pems: {
      ...mapValues(otherKeys, (pem) => openssl.encryptPem(pem, PASSPHRASE)),
      'AES-128': encrypted('-v2', 'aes-128-cbc', '-v2prf', 'hmacWithSHA256'),
      'AES-256-CFB': encrypted('-v2', 'aes-256-cfb', '-v2prf', 'hmacWithSHA256'),
      'HMAC-SHA1': encrypted('-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA1'),
      'HMAC-SHA512': encrypted('-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA512'),
      '999 iterations': encrypted('-v2', 'aes-256-cbc', '-v2prf', 'hmacWithSHA256', '-iter', '999'),
      scrypt: encrypted('-v2', 'aes-256-cbc', '-scrypt'),
      'PBES1 with 3DES': encrypted('-v1', 'PBE-SHA1-3DES'),
      'PKCS#8 in the clear': privatePem,
      'PKCS#1': openssl.run(['rsa', '-traditional'], Buffer.from(privatePem)).toString(),
    },
  };
}

function box(openssl: Openssl, plaintext: string) {
  const { key, iv, d } = openssl.sealGcm(Buffer.from(plaintext));
  return { plaintext, otk: key.toString('base64'), text: Buffer.concat([iv, d]).toString('base64') };
}

async function boxOpened(openssl: Openssl, otk: string, plaintext: string) {
  const text = await sealBox(otk, plaintext);
  const bytes = Buffer.from(text, 'base64');
  const opened = openssl.openGcm(Buffer.from(otk, 'base64'), bytes.subarray(0, 12), bytes.subarray(12));
  return { otk, text, plaintext: opened.toString() };
}

/** A key of our code. OpenSSL opens it from both of its forms, and says what its public half is. */
async function serviceKeyOpened(openssl: Openssl) {
  const { encrypted_private_key, passphrase, pem } = await createServiceKey();
  const { iter, salt, iv, data } = encrypted_private_key;
  const wrapKey = openssl.pbkdf2(passphrase, Buffer.from(salt, 'base64'), iter);
  const der = openssl.openGcm(wrapKey, Buffer.from(iv, 'base64'), Buffer.from(data, 'base64'));
  const fromMember = openssl.run(['pkey', '-inform', 'DER', '-pubout', '-outform', 'DER'], der).toString('base64');
  const fromPem = openssl.publicKey(openssl.decryptPem(pem, passphrase));
  return { encrypted_private_key, passphrase, pem, public_key_of_encrypted_private_key: fromMember, public_key_of_pem: fromPem };
}

/** An envelope as the specification writes it, put together here and not by the code under test. */
export function envelope({ k, iv, d }: Parts): string {
  return JSON.stringify({ _enc: 1, k: k.toString('base64'), iv: iv.toString('base64'), d: d.toString('base64') });
}

export function partsOf(text: string): Parts {
  const { k, iv, d } = JSON.parse(text);
  return { k: Buffer.from(k, 'base64'), iv: Buffer.from(iv, 'base64'), d: Buffer.from(d, 'base64') };
}

function mapValues<T, U>(object: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
