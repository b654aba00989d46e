import { DOCUMENT_STATUSES } from './document-status.ts';
import { RUN_COPY, signalOfOpening } from './run-copy.ts';
import { linesOf, move } from './table.ts';

describe("a party's copy of a document in a run @spec D2-3", () => {
  it('allows exactly the transitions of its state table', () => {
    expect(linesOf(RUN_COPY)).toEqual([
      'none, create to sign: ready_to_sign, announce created',
      'none, create to accept: offering, announce created',
      'none, create waiting: waiting, announce created',
      'none, create active: active, announce created',
      'waiting, open to sign: ready_to_sign, announce opened',
      'waiting, open to accept: offering, announce opened',
      'waiting, run cancelled: ended, announce ended',
      'ready_to_sign, sign: active, announce signed',
      'ready_to_sign, run cancelled: ended, announce ended',
      'offering, accept: active, announce accepted',
      'offering, run cancelled: ended, announce ended',
    ]);
  });

  it.each([...DOCUMENT_STATUSES, 'waiting'] as const)('ends or stays as it is when the run is cancelled and it is %s', (status) => {
    expect(['ended', undefined]).toContain(move(RUN_COPY, status, 'run cancelled')?.next);
  });

  it('opens for signing or accepting, as its step requires', () => {
    expect(signalOfOpening('sign')).toBe('open to sign');
    expect(signalOfOpening('accept')).toBe('open to accept');
  });
});
