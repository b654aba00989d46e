import { fairShare } from './shard-leases.ts';

describe('the fair share of shards', () => {
  it('divides all shards among the replicas, and gives a single replica all of them', () => {
    expect([0, 1, 2, 3, 7, 40].map((replicas) => fairShare(32, replicas))).toEqual([32, 32, 16, 11, 5, 1]);
    for (let replicas = 1; replicas <= 32; replicas++) expect(fairShare(32, replicas) * replicas).toBeGreaterThanOrEqual(32);
  });
});
