import { basicAuthorization, bearerAuthorization, equalSecrets } from './equal-secrets.ts';
import { CryptoRefusal } from './refusal.ts';

it('equalSecrets accepts the same bearer, basic and header secret @spec D1-6.4', async () => {
  expect(await equalSecrets('Bearer token-1', bearerAuthorization('token-1'))).toBe(true);
  expect(await equalSecrets('Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==', basicAuthorization('Aladdin', 'open sesame'))).toBe(true);
  expect(await equalSecrets('s3cret-å', 's3cret-å')).toBe(true);
});

it.each([
  ['another', 'secreT'],
  ['a shorter', 'secre'],
  ['a longer', 'secret '],
  ['an empty', ''],
  ['a missing', undefined],
  ['a null', null],
])('equalSecrets rejects %s secret @spec D1-6.4', async (_, given) => {
  expect(await equalSecrets(given, 'secret')).toBe(false);
});

it('equalSecrets matches nothing when no secret is expected @spec D1-6.4', async () => {
  for (const unset of ['', undefined, null]) expect(await equalSecrets(unset, unset)).toBe(false);
  expect(await equalSecrets('secret', undefined)).toBe(false);
});

it('equalSecrets distinguishes a lone surrogate from the replacement character', async () => {
  expect(await equalSecrets('\ud800', '\ufffd')).toBe(false);
});

it('basicAuthorization encodes credentials as UTF-8 and refuses a colon in the user name @spec D1-6.4', () => {
  expect(basicAuthorization('åsa', '')).toBe(`Basic ${Buffer.from('åsa:').toString('base64')}`);
  expect(() => basicAuthorization('a:b', 'c')).toThrow(new CryptoRefusal('secret'));
});
