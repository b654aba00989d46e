import { newId } from '../../../kit/ids.ts';
import { SHARDS, shardOf } from './shards.ts';

describe('webhook sharding', () => {
  it('spreads webhooks about evenly over the shards', () => {
    const counts = Array.from({ length: SHARDS }, () => 0);
    for (let i = 0; i < SHARDS * 100; i++) counts[shardOf(newId('wh'))]! += 1;

    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(170);
  });

  it('always assigns a webhook to the same shard', () => {
    expect(shardOf('wh_1')).toBe(shardOf('wh_1'));
  });
});
