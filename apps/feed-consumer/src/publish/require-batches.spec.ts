import { requireBatches } from './require-batches.ts';

const [OLD, NEW] = [{ hasBatches: false }, { hasBatches: true }];

describe('a nats-server without atomic batches', () => {
  it('is refused in production, with the version that is required', () => {
    expect(() => requireBatches(OLD, { NODE_ENV: 'production' })).toThrow(/2\.12 or later/);
    expect(() => requireBatches(NEW, { NODE_ENV: 'production' })).not.toThrow();
  });

  it('is accepted in development', () => {
    expect(() => requireBatches(OLD, { NODE_ENV: 'development' })).not.toThrow();
  });
});
