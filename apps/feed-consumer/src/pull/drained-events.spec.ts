import { FeedEvent } from '@codase/contracts';
import { storedOf, type Drained } from './drained-events.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const reported = (id: string) =>
  FeedEvent.parse({
    event: 'flow_completed',
    id,
    person_user_id: 'usr_1',
    share_code: null,
    at: '2026-03-02T10:00:00.000Z',
    flow_run_id: 'run_1',
  });

describe('stored rows of a drain', () => {
  it('contain every event in order, with the trace of its change', () => {
    const { events, rows } = storedOf(
      { events: [reported('evt_1'), reported('evt_2')], more: false, traces: [{ id: 'evt_2', traceparent: TRACE }] },
      NOW,
    );

    expect(events.map(({ id }) => id)).toEqual(['evt_1', 'evt_2']);
    expect(rows.map(({ message_id, traceparent }) => [message_id, traceparent])).toEqual([
      ['evt_1', null],
      ['evt_2', TRACE],
    ]);
  });

  it.each([[{ ...reported('evt_2'), flow_run_id: 7 }], ['no event'], [null]])(
    'contain an unreadable event as it came, and leave the others intact: %j',
    (strange) => {
      const drained = { events: [reported('evt_1'), strange, reported('evt_3')], more: false } as Drained;

      const { events, rows } = storedOf(drained, NOW);

      expect(events.map(({ id }) => id)).toEqual(['evt_1', 'evt_3']);
      expect(rows.map(({ event }) => event)).toEqual(['flow_completed', null, 'flow_completed']);
      expect(JSON.parse(rows[1]!.body.toString('utf8'))).toEqual(strange);
    },
  );
});
