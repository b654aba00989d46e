import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { ATTESTATION_TYPE, fieldHash, verifyAttestation, verifyProviderJws, type ProviderKey } from './attestations.ts';
import { sha256Hex } from './digests.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const jwkOf = (key: KeyObject, kid: string, until: string | null = null) =>
  ({ ...createPublicKey(key).export({ format: 'jwk' }), kid, until }) as ProviderKey;
const KEYS = [jwkOf(ec.privateKey, 'ec'), jwkOf(ed.privateKey, 'ed')];
const IAT = Date.parse('2026-03-01T10:00:00Z') / 1000;
const VALUE = {
  person_user_id: 'user_ana',
  verified_hash: 'ab'.repeat(32),
  verified_salt: 'c2FsdA==',
  verified_at: '2026-03-01T10:00:00Z',
  verified_expires_at: '2027-03-01T10:00:00Z',
  verified_method: 'document',
  verified_provider: 'idco',
  verification_id: 'ver_1',
};
const { person_user_id: sub, verified_provider: iss, verification_id: jti, ...rest } = VALUE;
const CLAIMS = { iss, sub, jti, iat: IAT, ...rest };

const isAttested = async (...given: Parameters<typeof verifyAttestation>) => (await verifyAttestation(...given)) !== undefined;
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = (claims: object = CLAIMS, header: object = {}, key = ec.privateKey) => {
  const own = key === ec.privateKey ? { alg: 'ES256', kid: 'ec' } : { alg: 'EdDSA', kid: 'ed' };
  const text = `${part({ ...own, typ: ATTESTATION_TYPE, ...header })}.${part(claims)}`;
  const signature =
    key === ec.privateKey ? sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }) : sign(null, Buffer.from(text), key);
  return `${text}.${signature.toString('base64url')}`;
};

describe('attestation of a provider @gap D1-2.7', () => {
  it.each([
    ['P-256', ec.privateKey],
    ['Ed25519', ed.privateKey],
  ])('is verified with its key: %s', async (_, key) => {
    expect(await isAttested(signed(CLAIMS, {}, key), KEYS, VALUE)).toBe(true);
  });

  it.each(Object.keys(VALUE))('attests no value that differs in %s, or lacks it', async (member) => {
    expect(await isAttested(signed(), KEYS, { ...VALUE, [member]: 'other' })).toBe(false);
    expect(await isAttested(signed(), KEYS, { ...VALUE, [member]: undefined })).toBe(false);
  });

  it.each<[string, string]>([
    ['of another type', signed(CLAIMS, { typ: 'JWT' })],
    ['of an algorithm that does not fit the key', signed(CLAIMS, { alg: 'EdDSA' })],
    ['without an algorithm', signed(CLAIMS, { alg: 'none' })],
    ['of a key that is not known', signed(CLAIMS, { kid: 'other' })],
    ['signed with another key of the provider', signed(CLAIMS, { kid: 'ed', alg: 'EdDSA' })],
    ['with members that must be understood', signed(CLAIMS, { crit: ['exp'] })],
    ['without a time', signed({ ...CLAIMS, iat: undefined })],
    ['in four parts', `${signed()}.x`],
    ['whose claims were changed', signed().replace(/\.[^.]+\./, `.${part({ ...CLAIMS, sub: 'user_eve' })}.`)],
    ['whose signature was cut', signed().slice(0, -4)],
    ['that is too long', signed({ ...CLAIMS, more: 'x'.repeat(5000) })],
    ['that is no JSON', `${Buffer.from('{').toString('base64url')}.e30.e30`],
    ['that is empty', ''],
    ['of an array', signed([])],
  ])('is none: a JWS %s', async (_, jws) => {
    expect(await verifyProviderJws(jws, ATTESTATION_TYPE, KEYS)).toBeUndefined();
  });

  it('is none with a key that is no point of its curve', async () => {
    expect(await verifyProviderJws(signed(), ATTESTATION_TYPE, [{ ...KEYS[0]!, y: KEYS[0]!.x }])).toBeUndefined();
  });

  it('of a key that signs no more counts when it was made before', async () => {
    const until = (at: string) => [jwkOf(ec.privateKey, 'ec', at)];
    expect(await isAttested(signed(), until('2026-03-01T10:00:00Z'), VALUE)).toBe(true);
    expect(await isAttested(signed(), until('2026-03-01T09:59:59Z'), VALUE)).toBe(false);
  });

  it('names its field by a digest over salt, slug and type', async () => {
    expect(await fieldHash('salt', 'email', 'email')).toBe(await sha256Hex(Buffer.from('salt\nemail\nemail\n')));
    expect(await fieldHash('salt', 'a', 'b')).not.toBe(await fieldHash('salt', 'ab', ''));
  });
});
