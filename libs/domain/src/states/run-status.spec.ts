import { awaitedParty, awaiting, isOpenRun, phaseOf, RUN, type RunStatus } from './run-status.ts';
import { linesOf } from './table.ts';

describe('the status of a run @spec D2-3', () => {
  it('allows exactly the transitions of its state table', () => {
    expect(linesOf(RUN)).toEqual([
      'none, trigger: awaiting, announce turn',
      'awaiting, next node: awaiting, announce turn',
      'awaiting, data leaf: completed, share answers, announce completed',
      'awaiting, document leaf: generating',
      'awaiting, cancel: cancelled, end open copies',
      'awaiting, delete data: cancelled, end open copies, remove data',
      'generating, generated: awaiting_signature, create copies, announce turn',
      'generating, generation failed: generating',
      'generating, cancel: cancelled, end open copies',
      'generating, delete data: cancelled, end open copies, remove data',
      'awaiting_signature, step acted: awaiting_signature, activate copy, open next copy, announce turn',
      'awaiting_signature, last step acted: completed, activate copy, announce completed',
      'awaiting_signature, cancel: cancelled, end open copies',
      'awaiting_signature, delete data: cancelled, end open copies, remove data',
      'completed, delete data: completed, remove data',
      'cancelled, delete data: cancelled, remove data',
    ]);
  });

  it('names the party whose answers the run awaits', () => {
    expect(awaiting('customer')).toBe('awaiting_customer');
    expect(awaitedParty(awaiting('customer'))).toBe('customer');
    expect(phaseOf(awaiting('customer'))).toBe('awaiting');
  });

  it.each(['generating', 'awaiting_signature', 'completed', 'cancelled'] satisfies RunStatus[])(
    'names no awaited party when it is %s',
    (status) => {
      expect(awaitedParty(status)).toBeUndefined();
      expect(phaseOf(status)).toBe(status);
    },
  );

  it.each([
    ['awaiting_company', true],
    ['generating', true],
    ['awaiting_signature', true],
    ['completed', false],
    ['cancelled', false],
  ] satisfies [RunStatus, boolean][])('with the value %s means that the run is open: %s', (status, open) => {
    expect(isOpenRun(status)).toBe(open);
  });
});
