import { bodyDigest, platformKey } from './request-keys.ts';

const request = { share_code: 'ANA', idempotency_key: 'login-1', context: 'Sign-in from Berlin' };

describe('the key of a login', () => {
  it('depends only on the caller and the idempotency key', () => {
    const key = platformKey('shop-backend', request);

    expect(platformKey('shop-backend', { ...request, context: 'Sign-in from Graz' })).toBe(key);
    expect(platformKey('desk-backend', request)).not.toBe(key);
    expect(platformKey('shop-backend', { ...request, idempotency_key: 'login-2' })).not.toBe(key);
    expect(platformKey('a', { ...request, idempotency_key: 'b","c' })).not.toBe(platformKey('a","b', { ...request, idempotency_key: 'c' }));
  });

  it('detects another body by a digest that nobody can compute without the key', () => {
    const digest = bodyDigest(request);

    expect(bodyDigest({ ...request })).toBe(digest);
    expect(bodyDigest({ ...request, context: '' })).not.toBe(digest);
    expect(bodyDigest({ ...request, share_code: 'BEN' })).not.toBe(digest);
    expect(bodyDigest({ ...request, idempotency_key: 'login-2' })).not.toBe(digest);
  });
});
