import { fairShare } from './share.ts';

describe('a fair share of duties', () => {
  it('covers all of them, whoever counts', () => {
    expect([1, 2, 3, 5, 16, 20].map((replicas) => fairShare(16, replicas))).toEqual([16, 8, 6, 4, 1, 1]);
    expect(fairShare(16, 0)).toBe(16);
    expect(fairShare(0, 2)).toBe(0);
  });
});
