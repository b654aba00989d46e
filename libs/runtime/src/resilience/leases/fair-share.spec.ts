import { fairShare } from './fair-share.ts';

describe('a fair share of shards', () => {
  it('is all for one that is alone, and leaves none over', () => {
    expect([0, 1, 2, 3, 7, 40].map((replicas) => fairShare(32, replicas))).toEqual([32, 32, 16, 11, 5, 1]);
    for (let replicas = 1; replicas <= 32; replicas++) expect(fairShare(32, replicas) * replicas).toBeGreaterThanOrEqual(32);
  });
});
