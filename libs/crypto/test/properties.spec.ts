import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { decodeBase64, encodeBase64 } from '../src/base64.ts';
import { der, DerReader, TAG } from '../src/der.ts';
import {
  createOneTimeKey,
  importAccountPublicKey,
  importValuePublicKey,
  isEnvelope,
  isWebhookSignature,
  openBox,
  openBoxText,
  sealAccountEnvelope,
  sealBox,
  sealValue,
  signWebhook,
} from '../src/index.ts';
import {
  importAccountPrivateKey,
  importValuePrivateKey,
  openAccountEnvelope,
  openValue,
  readPrivateKeyPem,
  writePrivateKeyPem,
} from '../src/open.ts';
import { CryptoRefusal, Malformed } from '../src/refusal.ts';
import { flipBit, pkcs8, public_key, vectors } from './keys.ts';

const [recipient, account] = await Promise.all([importValuePublicKey(public_key), importAccountPublicKey(public_key)]);
const [valueKey, accountKey] = await Promise.all([importValuePrivateKey(pkcs8), importAccountPrivateKey(pkcs8)]);
const otk = createOneTimeKey();

/** Any text: every character, of every plane. */
const text = () => fc.string({ unit: 'binary', maxLength: 300 });
const bytes = () => fc.uint8Array({ maxLength: 300 });
const SLOW_PROPERTY = { numRuns: 40 }; // an RSA operation each
const MANY = { numRuns: 300 };

it('any text sealed as a value or account envelope opens to the same text @spec D1-2.3', async () => {
  const roundTrip = async (plaintext: string) => {
    expect(await openValue(valueKey, await sealValue(recipient, plaintext))).toBe(plaintext);
    expect(await openAccountEnvelope(accountKey, await sealAccountEnvelope(account, plaintext))).toBe(plaintext);
  };
  await fc.assert(fc.asyncProperty(text(), roundTrip), SLOW_PROPERTY);
});

it('an envelope with a single flipped bit never opens @spec D1-2.3', async () => {
  const wrapper = JSON.parse(await sealValue(recipient, 'a value of some length'));
  const envelope = JSON.parse(await sealAccountEnvelope(account, 'a body of some length'));
  const tamper = async (member: 'k' | 'iv' | 'd', bit: number) => {
    const bad = (members: typeof wrapper) => JSON.stringify({ ...members, [member]: flipBit(members[member], bit) });
    await expect(openValue(valueKey, bad(wrapper))).rejects.toEqual(new CryptoRefusal('envelope'));
    await expect(openAccountEnvelope(accountKey, bad(envelope))).rejects.toEqual(new CryptoRefusal('envelope'));
  };
  await fc.assert(fc.asyncProperty(fc.constantFrom('k', 'iv', 'd'), fc.nat({ max: 2047 }), tamper), SLOW_PROPERTY);
});

it('openValue refuses a value wrapper with any replaced character @gap D1-2.3', async () => {
  const wrapper = await sealValue(recipient, 'Ada');
  const tamper = async (at: number, character: string) => {
    const index = at % wrapper.length;
    const changed = wrapper.slice(0, index) + character + wrapper.slice(index + 1);
    fc.pre(changed !== wrapper);
    await expect(openValue(valueKey, changed)).rejects.toEqual(new CryptoRefusal('envelope'));
  };
  await fc.assert(fc.asyncProperty(fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }), tamper), SLOW_PROPERTY);
});

it('isEnvelope rejects any JSON that is not an envelope @gap D1-2.3', () => {
  fc.assert(
    fc.property(fc.json(), (json) => expect(isEnvelope(json)).toBe(false)),
    MANY,
  );
});

it('any box opens to its content and is refused with a flipped bit @spec D2-4.3', async () => {
  const roundTrip = async (content: Uint8Array, bit: number) => {
    const box = await sealBox(otk, content);
    expect(Buffer.from(await openBox(otk, box)).equals(content)).toBe(true);
    await expect(openBox(otk, flipBit(box, bit))).rejects.toEqual(new CryptoRefusal('envelope'));
  };
  await fc.assert(fc.asyncProperty(bytes(), fc.nat(), roundTrip), MANY);
  const textRoundTrip = async (content: string) => expect(await openBoxText(otk, await sealBox(otk, content))).toBe(content);
  await fc.assert(fc.asyncProperty(text(), textRoundTrip), MANY);
});

it('a PEM opens only with the passphrase that it was written with @spec D1-2.3', async () => {
  const roundTrip = async (passphrase: string, another: string) => {
    const pem = await writePrivateKeyPem(pkcs8, passphrase);
    expect(Buffer.from(await readPrivateKeyPem(pem, passphrase)).equals(pkcs8)).toBe(true);
    await expect(readPrivateKeyPem(pem, passphrase + another)).rejects.toEqual(new CryptoRefusal('private_key'));
  };
  const words = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
  await fc.assert(fc.asyncProperty(words, words, roundTrip), { numRuns: 4 });
});

it('a PEM with a flipped bit is refused or yields a key that still works @gap D1-2.3', async () => {
  const [begin, ...lines] = vectors.pems['with the fewest iterations'].trim().split('\n');
  const body = lines.slice(0, -1).join('');
  const wrapper = await sealValue(recipient, 'Ada');
  const outcome = async (bit: number) => {
    const pem = [begin, flipBit(body, bit), lines.at(-1)].join('\n');
    const key = await readPrivateKeyPem(pem, vectors.key.passphrase);
    return openValue(await importValuePrivateKey(key), wrapper);
  };
  const tamper = async (bit: number) => {
    const refused = (error: CryptoRefusal) => error.kind;
    // CBC has no authentication tag, and RSA works without some numbers of its key.
    expect(['private_key', 'Ada']).toContain(await outcome(bit).catch(refused));
  };
  await fc.assert(fc.asyncProperty(fc.nat(), tamper), { numRuns: 100 });
});

it('signWebhook agrees with node:crypto on any body, and altered signatures are rejected @spec D1-6.4', async () => {
  const secrets = fc.string({ unit: 'binary', minLength: 1, maxLength: 100 });
  const sign = async (secret: string, body: Uint8Array, bit: number) => {
    const signature = await signWebhook(secret, body);
    expect(signature).toBe(createHmac('sha256', secret).update(body).digest('hex'));
    expect(await isWebhookSignature(secret, body, signature)).toBe(true);
    const bad = Buffer.from(flipBit(Buffer.from(signature, 'hex').toString('base64'), bit), 'base64').toString('hex');
    expect(await isWebhookSignature(secret, body, bad)).toBe(false);
  };
  await fc.assert(fc.asyncProperty(secrets, bytes(), fc.nat(), sign), MANY);
});

it('base64 encoding is canonical in both directions @gap D1-2.3', () => {
  fc.assert(
    fc.property(bytes(), (content) => expect(encodeBase64(content)).toBe(Buffer.from(content).toString('base64'))),
    MANY,
  );
  const canonical = (candidate: string) => {
    const isCanonical = Buffer.from(candidate, 'base64').toString('base64') === candidate;
    expect(succeeds(() => decodeBase64(candidate))).toBe(isCanonical);
  };
  const nearBase64 = fc.string({ unit: fc.constantFrom(...'ABab01+/=-_ \nå'), maxLength: 12 });
  fc.assert(fc.property(nearBase64, canonical), { numRuns: 3000 });
});

it('DerReader reads any octets that der wrote and refuses every truncation', () => {
  const roundTrip = (content: Uint8Array) => expect([...new DerReader(der(TAG.octets, content)).take(TAG.octets)]).toEqual([...content]);
  fc.assert(fc.property(bytes(), roundTrip), MANY);
  const cutOff = (content: Uint8Array, cut: number) => {
    const whole = der(TAG.octets, content);
    expect(succeeds(() => new DerReader(whole.slice(0, cut % whole.length)).take(TAG.octets))).toBe(false);
  };
  fc.assert(fc.property(bytes(), fc.nat(), cutOff), MANY);
});

function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof Malformed) return false;
    throw error;
  }
}
