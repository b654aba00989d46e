import { requireBatches } from './require-batches.ts';

const [OLD, NEW] = [{ hasBatches: false }, { hasBatches: true }];

describe('a nats-server without atomic batches', () => {
  it('is refused in production, with what to do about it', () => {
    expect(() => requireBatches(OLD, { NODE_ENV: 'production' })).toThrow(/2\.12 or later/);
    expect(() => requireBatches(NEW, { NODE_ENV: 'production' })).not.toThrow();
  });

  it('will do in development', () => {
    expect(() => requireBatches(OLD, { NODE_ENV: 'development' })).not.toThrow();
  });
});
