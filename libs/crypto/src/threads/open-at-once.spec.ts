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

describe('synchronous opening on the current thread @spec D1-2.3', () => {
  let values: ThreadKey;
  let account: ThreadKey;
  beforeAll(async () => {
    [values, account] = [await valueThreadKey(pkcs8), await accountThreadKey(pkcs8)];
  });

  it.each(['åäö', '', 'x'.repeat(200_000)])('returns the text that was sealed', async (text) => {
    expect(open('value', values, await sealValue(await importValuePublicKey(public_key), text))).toBe(text);
    expect(open('envelope', account, await sealAccountEnvelope(await importAccountPublicKey(public_key), text))).toBe(text);
  });

  it.each([
    ['of somebody else', forge({ recipient: other.public_key_of_pem })],
    ['with a key of another length', forge({ aesKey: Buffer.alloc(31, 7) })],
    ['that is none', '{"_enc":1}'],
  ])('returns undefined for a value %s, as for every other fault @gap D1-2.3', (_, envelope) => {
    expect(open('value', values, envelope)).toBeUndefined();
  });

  it('never opens a value with a substitute key, even when repeated @gap D1-2.3', () => {
    const zeros = forge({ recipient: other.public_key_of_pem, aesKey: Buffer.alloc(32) });
    const again = [1, 2, 3].map(() => ({ kind: 'value' as const, key: values, text: zeros }));

    expect(openAllAtOnce([...again, ...again])).toEqual(Array.from({ length: 6 }));
    expect(openAllAtOnce(again)).toEqual(Array.from({ length: 3 }));
  });

  it('opens a batch of several kinds and keys in the order of the batch', async () => {
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

  it('throws when the key was imported for the other algorithm', async () => {
    const value = await sealValue(await importValuePublicKey(public_key), 'text');

    expect(() => open('value', account, value)).toThrow(TypeError);
    expect(() => open('envelope', values, value)).toThrow(TypeError);
  });

  it.each([
    ['a good one', forge({})],
    ['one that does not unwrap', forge({ recipient: other.public_key_of_pem })],
  ])('unwraps the key of a value to the same key as WebCrypto: %s @gap D1-2.8', async (_, envelope) => {
    const elsewhere = await importValuePrivateKey(pkcs8, { concurrency: 1 });

    expect(open('wrapped_key', values, wrapped(envelope))).toBe(await unwrapKey(elsewhere, wrapped(envelope)));
  });

  it('recognises a text that was verified @spec D1-2.7', async () => {
    const verified_hash = await verifiedHash('salt', 'text');

    expect(isAttestedAtOnce({ verified_hash, verified_salt: 'salt' }, 'text')).toBe(true);
    expect(isAttestedAtOnce({ verified_hash, verified_salt: 'salt' }, 'texts')).toBe(false);
    expect(isAttestedAtOnce({ verified_hash, verified_salt: '\ud800' }, 'text')).toBe(false);
    expect(isAttestedAtOnce({ verified_hash: null }, 'text')).toBe(false);
  });

  it('refuses bytes that are not a private key', async () => {
    await expect(valueThreadKey(new Uint8Array(10))).rejects.toEqual(new CryptoRefusal('private_key'));
  });
});
