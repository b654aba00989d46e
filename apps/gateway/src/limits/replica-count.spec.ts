import { ReplicaCount } from './replica-count.ts';

describe('the number of gateways that share the limits', () => {
  const after = (...answers: number[]) => {
    const count = new ReplicaCount();
    for (const answer of answers) count.saw(answer);
    return count.now;
  };

  it.each([
    [[], 1],
    [[0], 1],
    [[2], 2],
    [[2, 1], 2],
    [[2, 1, 1], 2],
    [[2, 1, 1, 1], 1],
    [[1, 3], 3],
  ])('is, after %j answered, %i: one more counts at once, one less when it was missed three times', (answers, expected) =>
    expect(after(...answers)).toBe(expected),
  );
});
