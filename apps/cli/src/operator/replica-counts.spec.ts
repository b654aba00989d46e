import { countOf, readReplicaCounts, uncounted } from './replica-counts.ts';

describe('the number of replicas', () => {
  it('is one for all services', () => {
    const counts = readReplicaCounts('2')!;

    expect([uncounted(counts, ['eu', 'us']), countOf(counts, 'eu')]).toEqual([[], 2]);
  });

  it('is one for each, and those that are missing are known', () => {
    const counts = readReplicaCounts('front-door=2, eu=3')!;

    expect([uncounted(counts, ['front-door', 'eu', 'us']), countOf(counts, 'eu')]).toEqual([['us'], 3]);
  });

  it('is never guessed', () => {
    expect(uncounted(readReplicaCounts(undefined), ['front-door'])).toEqual(['front-door']);
  });
});
