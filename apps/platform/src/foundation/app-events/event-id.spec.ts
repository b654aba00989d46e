import { AppEventId } from '@codase/contracts';
import { newId } from '../../kit/ids.ts';
import { eventIdOf, isIn, cursorOf } from './event-id.ts';

const LOG = newId('log');

describe('app event id', () => {
  it.each([
    { log_id: LOG, seq: 17 },
    { log_id: null, seq: 0 },
  ])('decodes to the cursor that it was made from: %j', (cursor) => {
    expect(cursorOf(AppEventId.parse(eventIdOf(cursor)))).toEqual(cursor);
  });

  it.each(['', 'x', '-1', `${LOG}-`, `${LOG}-01`, `${LOG}--1`, `${LOG}-1.5`, `${LOG}-9999999999999999`, `${LOG} -1`, `${LOG}-1\n`])(
    'is rejected when it is malformed: %j',
    (id) => {
      expect(AppEventId.safeParse(id).success).toBe(false);
    },
  );

  it("is in the log only if it has the log's id and is not past its end", () => {
    const log = { log_id: LOG, seq: 5 };

    expect([0, 5, 6].map((seq) => isIn(log, { log_id: LOG, seq }))).toEqual([true, true, false]);
    expect(isIn(log, { log_id: 'log_other', seq: 3 })).toBe(false);
    expect(isIn({ log_id: null, seq: 0 }, { log_id: LOG, seq: 0 })).toBe(false);
  });

  it('from before the log was created is before its first event', () => {
    expect(isIn({ log_id: LOG, seq: 5 }, { log_id: null, seq: 0 })).toBe(true);
    expect(isIn({ log_id: null, seq: 0 }, { log_id: null, seq: 0 })).toBe(true);
    expect(isIn({ log_id: LOG, seq: 5 }, { log_id: null, seq: 3 })).toBe(false);
  });
});
