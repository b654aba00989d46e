import { countOf, readReplicaCounts, uncounted } from './replica-counts.ts';

describe('--replicas option', () => {
  it('accepts one count for all services', () => {
    const counts = readReplicaCounts('2')!;

    expect([uncounted(counts, ['eu', 'us']), countOf(counts, 'eu')]).toEqual([[], 2]);
  });

  it('accepts a count for each service, and reports the services without one', () => {
    const counts = readReplicaCounts('front-door=2, eu=3')!;

    expect([uncounted(counts, ['front-door', 'eu', 'us']), countOf(counts, 'eu')]).toEqual([['us'], 3]);
  });

  it('assumes no default count', () => {
    expect(uncounted(readReplicaCounts(undefined), ['front-door'])).toEqual(['front-door']);
  });
});
