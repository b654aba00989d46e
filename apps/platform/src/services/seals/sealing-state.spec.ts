import { SealingState } from './sealing-state.ts';

const NOW = new Date('2026-11-16T12:00:00Z');

describe('readiness of sealing', () => {
  it.each([
    ['2026-12-17', null],
    ['2026-12-16', { note: 'the certificate of seals ends on 2026-12-16: replace it' }],
  ])('warns 30 days before the certificate ends: %s', (end, finding) => {
    const state = new SealingState(false);

    state.noteEnd(new Date(end), NOW);

    expect(state.finding).toEqual(finding);
  });

  it('is not ready before the first check, regardless of other problems', () => {
    const state = new SealingState(true);
    state.timestampProblem = 'no stamps';

    expect(state.finding).toBe('not tried yet');
    state.problem = null;
    expect(state.finding).toEqual({ note: 'no stamps' });
  });
});
