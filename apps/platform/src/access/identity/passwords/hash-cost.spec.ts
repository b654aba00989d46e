import { configuredHashCost } from './hash-cost.ts';

describe('PASSWORD_HASH_COST', () => {
  it('may be raised in production', () => {
    expect(configuredHashCost({ PASSWORD_HASH_COST: 17, NODE_ENV: 'production' })).toEqual({ ln: 17, r: 8, p: 1 });
  });

  it('may be lowered only in development', () => {
    expect(() => configuredHashCost({ PASSWORD_HASH_COST: 14, NODE_ENV: 'production' })).toThrow(/PASSWORD_HASH_COST: less than 15/);
    expect(configuredHashCost({ PASSWORD_HASH_COST: 4, NODE_ENV: 'development' })).toEqual({ ln: 4, r: 8, p: 1 });
  });
});
