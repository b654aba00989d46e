import { forge, other, pkcs8, public_key } from '../../test/keys.ts';
import { importAccountPublicKey, sealAccountEnvelope } from '../account-envelope.ts';
import { verifiedHash } from '../digests.ts';
import { importValuePrivateKey, unwrapKey } from '../open/value-wrapper.ts';
import { CryptoRefusal } from '../refusal.ts';
import { importValuePublicKey, sealValue } from '../value-wrapper.ts';
import { isAttestedAtOnce, openAllAtOnce, type SealedText } from './open-at-once.ts';
import { accountThreadKey, valueThreadKey, type ThreadKey } from './thread-key.ts';

/** Opens one text alone. */
const open = (kind: SealedText['kind'], key: ThreadKey, text: string) => openAllAtOnce([{ kind, key, text }])[0];
const wrapped = (envelope: string) => (JSON.parse(envelope) as { k: string }).k;

describe('opening at once, on the thread that asks @spec D1-2.3', () => {
  let values: ThreadKey;
  let account: ThreadKey;
  beforeAll(async () => {
    [values, account] = [await valueThreadKey(pkcs8), await accountThreadKey(pkcs8)];
  });

  it.each(['åäö', '', 'x'.repeat(200_000)])('gives the text that was sealed', async (text) => {
    expect(open('value', values, await sealValue(await importValuePublicKey(public_key), text))).toBe(text);
    expect(open('envelope', account, await sealAccountEnvelope(await importAccountPublicKey(public_key), text))).toBe(text);
  });

  it.each([
    ['of somebody else', forge({ recipient: other.public_key_of_pem })],
    ['with a key of another length', forge({ aesKey: Buffer.alloc(31, 7) })],
    ['that is none', '{"_enc":1}'],
  ])('refuses a value %s as every other fault @gap D1-2.3', (_, envelope) => {
    expect(open('value', values, envelope)).toBeUndefined();
  });

  it('opens nothing with the substitute of a key that does not unwrap, however often @gap D1-2.3', () => {
    const zeros = forge({ recipient: other.public_key_of_pem, aesKey: Buffer.alloc(32) });
    const again = [1, 2, 3].map(() => ({ kind: 'value' as const, key: values, text: zeros }));

    expect(openAllAtOnce([...again, ...again])).toEqual(Array.from({ length: 6 }));
    expect(openAllAtOnce(again)).toEqual(Array.from({ length: 3 }));
  });

  it('opens several, of any kind and key, each in its place', async () => {
    const good = forge({ plaintext: 'of a value' });
    const body = await sealAccountEnvelope(await importAccountPublicKey(public_key), 'of an account');
    const bad = forge({ recipient: other.public_key_of_pem });

    const opened = openAllAtOnce([
      { kind: 'value', key: values, text: good },
      { kind: 'value', key: values, text: '[]' },
      { kind: 'wrapped_key', key: values, text: 'short' },
      { kind: 'envelope', key: account, text: body },
      { kind: 'value', key: values, text: bad },
      { kind: 'value', key: values, text: good },
    ]);

    expect(opened).toEqual(['of a value', undefined, undefined, 'of an account', undefined, 'of a value']);
  });

  it('takes no key of the other routine', async () => {
    const value = await sealValue(await importValuePublicKey(public_key), 'text');

    expect(() => open('value', account, value)).toThrow(TypeError);
    expect(() => open('envelope', values, value)).toThrow(TypeError);
  });

  it.each([
    ['a good one', forge({})],
    ['one that does not unwrap', forge({ recipient: other.public_key_of_pem })],
  ])('gives the same own key of a value as WebCrypto does: %s @gap D1-2.8', async (_, envelope) => {
    const elsewhere = await importValuePrivateKey(pkcs8, { concurrency: 1 });

    expect(open('wrapped_key', values, wrapped(envelope))).toBe(await unwrapKey(elsewhere, wrapped(envelope)));
  });

  it('knows a text that was verified @spec D1-2.7', async () => {
    const verified_hash = await verifiedHash('salt', 'text');

    expect(isAttestedAtOnce({ verified_hash, verified_salt: 'salt' }, 'text')).toBe(true);
    expect(isAttestedAtOnce({ verified_hash, verified_salt: 'salt' }, 'texts')).toBe(false);
    expect(isAttestedAtOnce({ verified_hash, verified_salt: '\ud800' }, 'text')).toBe(false);
    expect(isAttestedAtOnce({ verified_hash: null }, 'text')).toBe(false);
  });

  it('makes no key of what is none', async () => {
    await expect(valueThreadKey(new Uint8Array(10))).rejects.toEqual(new CryptoRefusal('private_key'));
  });
});
