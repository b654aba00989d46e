import * as contracts from './index.ts';

describe('limits @spec D1-8 @spec D2-8', () => {
  it('of uploads leave room for the largest document in two layers of base64', () => {
    const documentBytes = contracts.DOCUMENT_MAX_MB * 1024 * 1024;

    expect(contracts.UPLOAD_CHARS).toBeGreaterThan(documentBytes * (4 / 3) ** 2);
    expect(contracts.UPLOAD_BODY_BYTES).toBeGreaterThan(contracts.UPLOAD_CHARS);
  });

  it('of rates let a client list connections less often than drain the feed or read other data, and count tokens by address', () => {
    expect(contracts.RATE_LIMITS.connections.per_second).toBeLessThan(contracts.RATE_LIMITS.data.per_second);
    expect(contracts.RATE_LIMITS.changes.per_second).toBeGreaterThan(contracts.RATE_LIMITS.connections.per_second);
    expect(contracts.RATE_LIMITS.token.by).toBe('address');
  });

  it('of wrapped private keys are the parameters of the specification', () => {
    expect(contracts.KEY_WRAP).toEqual({ iterations: 100_000, salt_bytes: 16, iv_bytes: 12 });
  });
});
