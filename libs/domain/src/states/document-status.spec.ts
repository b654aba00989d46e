import { companyPut, DOCUMENT, DOCUMENT_STATUSES, signalOfCancellation, signalOfCreation } from './document-status.ts';
import { linesOf, move } from './table.ts';

describe('the status of a document @spec D1-3.3', () => {
  it('allows exactly the transitions of its state table', () => {
    expect(linesOf(DOCUMENT)).toEqual([
      'none, create to sign: ready_to_sign, announce created',
      'none, create to accept: offering, announce created',
      'none, create active: active, announce created',
      'ready_to_sign, sign: active, announce signed',
      'ready_to_sign, decline: ended, announce cancelled',
      'ready_to_sign, put ended: ended, announce updated',
      'ready_to_sign, connection ended: ended, announce updated',
      'offering, accept: active, announce accepted',
      'offering, decline: ended, announce cancelled',
      'offering, put ended: ended, announce updated',
      'offering, connection ended: ended, announce updated',
      'active, cancel for later: active_but_ending, announce cancelled',
      'active, cancel for today: ended, announce cancelled',
      'active, put active_but_ending: active_but_ending, announce updated',
      'active, put ended: ended, announce updated',
      'active, connection ended: ended, announce updated',
      'active_but_ending, end date reached: ended, announce updated',
      'active_but_ending, put ended: ended, announce updated',
      'active_but_ending, connection ended: ended, announce updated',
    ]);
  });

  it.each([
    [true, true, 'ready_to_sign'],
    [true, false, 'ready_to_sign'],
    [false, true, 'offering'],
    [false, false, 'active'],
  ])(
    'with requires_signature %s and requires_acceptance %s starts as %s @spec D1-2.12',
    (requires_signature, requires_acceptance, status) => {
      expect(move(DOCUMENT, 'none', signalOfCreation({ requires_signature, requires_acceptance }))?.next).toBe(status);
    },
  );

  it('ends at once when the cancellation takes effect today or earlier, and later otherwise', () => {
    expect(signalOfCancellation('2026-02-01', '2026-01-31')).toBe('cancel for later');
    expect(signalOfCancellation('2026-01-31', '2026-01-31')).toBe('cancel for today');
    expect(signalOfCancellation('2025-12-31', '2026-01-31')).toBe('cancel for today');
  });
});

describe('a status change by the company', () => {
  const allowed = [
    'active to active_but_ending',
    'active to ended',
    'active_but_ending to ended',
    'ready_to_sign to ended',
    'offering to ended',
  ];
  const pairs = DOCUMENT_STATUSES.flatMap((from) => DOCUMENT_STATUSES.map((wanted) => [from, wanted] as const));

  it('may end a document or announce the end of an active one, and nothing else @gap D1-3.3', () => {
    const granted = pairs.filter(([status, wanted]) => typeof companyPut({ status, run: 'none' }, wanted) === 'object');

    expect(granted.map((pair) => pair.join(' to ')).sort()).toEqual([...allowed].sort());
  });

  it.each(pairs.filter((pair) => !allowed.includes(pair.join(' to '))))('is refused from %s to %s', (status, wanted) => {
    expect(companyPut({ status, run: 'none' }, wanted)).toBe('documents.transition_invalid');
  });

  it('results in the requested status and is announced as an update', () => {
    const reported = { also: ['announce updated'] };

    expect(companyPut({ status: 'active', run: 'over' }, 'active_but_ending')).toEqual({ next: 'active_but_ending', ...reported });
    expect(companyPut({ status: 'offering', run: 'none' }, 'ended')).toEqual({ next: 'ended', ...reported });
  });

  it.each(['waiting', 'ready_to_sign', 'offering'] as const)('is refused for a %s document of a finished run @spec D2-7', (status) => {
    expect(companyPut({ status, run: 'over' }, 'ended')).toBe('documents.run_managed');
    expect(companyPut({ status, run: 'over' }, 'active')).toBe('documents.run_managed');
  });

  it.each(['waiting', ...DOCUMENT_STATUSES] as const)('is refused for a document that is %s while its run is open @spec D2-3', (status) => {
    for (const wanted of DOCUMENT_STATUSES) expect(companyPut({ status, run: 'open' }, wanted)).toBe('documents.run_managed');
  });

  it('is refused for a waiting document outside a run', () => {
    expect(companyPut({ status: 'waiting', run: 'none' }, 'ended')).toBe('documents.transition_invalid');
  });
});
