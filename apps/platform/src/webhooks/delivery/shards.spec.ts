import { newId } from '../../ids.ts';
import { fairShare, SHARDS, shardOf } from './shards.ts';

describe('the parts that webhooks are shared out in', () => {
  it('hold about the same number each', () => {
    const counts = Array.from({ length: SHARDS }, () => 0);
    for (let i = 0; i < SHARDS * 100; i++) counts[shardOf(newId('wh'))]! += 1;

    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(170);
  });

  it('are found again', () => {
    expect(shardOf('wh_1')).toBe(shardOf('wh_1'));
  });

  it.each([
    [0, 32],
    [1, 32],
    [2, 16],
    [3, 11],
    [40, 1],
  ])('of %d processes, each has at most %d', (processes, share) => {
    expect(fairShare(processes)).toBe(share);
  });
});
