import { DOCUMENT_STATUSES } from './document-status.ts';
import { RUN_COPY, signalOfOpening } from './run-copy.ts';
import { linesOf, move } from './table.ts';

describe("a party's copy in a run @spec D2-3", () => {
  it('moves along these lines and no others', () => {
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

  it.each([...DOCUMENT_STATUSES, 'waiting'] as const)('is left as it is or ended by a cancelled run, when it is %s', (status) => {
    expect(['ended', undefined]).toContain(move(RUN_COPY, status, 'run cancelled')?.next);
  });

  it('opens for the act its step asks', () => {
    expect(signalOfOpening('sign')).toBe('open to sign');
    expect(signalOfOpening('accept')).toBe('open to accept');
  });
});
