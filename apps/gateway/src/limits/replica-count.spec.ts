import { ReplicaCount } from './replica-count.ts';

describe('number of gateways that share the limits', () => {
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
  ])('after %j replies is %i: it grows at once, and shrinks after three lower counts', (answers, expected) =>
    expect(after(...answers)).toBe(expected),
  );
});
