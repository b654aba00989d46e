import * as limits from './index.ts';

describe('limits @spec D1-8 @spec D2-8', () => {
  it('allow the largest document, sealed and encoded twice, within the upload budget', () => {
    const document = limits.DOCUMENT_MAX_MB * 1024 * 1024;

    expect(limits.UPLOAD_CHARS).toBeGreaterThan(document * (4 / 3) * (4 / 3));
    expect(limits.UPLOAD_BODY_BYTES).toBeGreaterThan(limits.UPLOAD_CHARS);
  });

  it('throttle the connections list more than other data and the change feed less', () => {
    expect(limits.RATE_LIMITS.connections.per_second).toBeLessThan(limits.RATE_LIMITS.data.per_second);
    expect(limits.RATE_LIMITS.changes.per_second).toBeGreaterThan(limits.RATE_LIMITS.connections.per_second);
    expect(limits.RATE_LIMITS.token.by).toBe('address');
  });

  it('wrap private keys with the parameters of the specification', () => {
    expect(limits.KEY_WRAP).toEqual({ iterations: 100_000, salt_bytes: 16, iv_bytes: 12 });
  });
});
