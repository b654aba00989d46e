import { bodyDigest, platformKey } from './request-keys.ts';

const asked = { share_code: 'ANA', idempotency_key: 'login-1', context: 'Sign-in from Berlin' };

describe('the key of a login', () => {
  it('depends only on the caller and the idempotency key', () => {
    const key = platformKey('shop-backend', asked);

    expect(platformKey('shop-backend', { ...asked, context: 'Sign-in from Graz' })).toBe(key);
    expect(platformKey('desk-backend', asked)).not.toBe(key);
    expect(platformKey('shop-backend', { ...asked, idempotency_key: 'login-2' })).not.toBe(key);
    expect(platformKey('a', { ...asked, idempotency_key: 'b","c' })).not.toBe(platformKey('a","b', { ...asked, idempotency_key: 'c' }));
  });

  it('detects another body by a digest that nobody can compute without the key', () => {
    const digest = bodyDigest(asked);

    expect(bodyDigest({ ...asked })).toBe(digest);
    expect(bodyDigest({ ...asked, context: '' })).not.toBe(digest);
    expect(bodyDigest({ ...asked, share_code: 'BEN' })).not.toBe(digest);
    expect(bodyDigest({ ...asked, idempotency_key: 'login-2' })).not.toBe(digest);
  });
});
