import { stagesOf, type Seen, type Traced } from './stages.ts';

const event = (nth: number, took_ms: number): Traced => ({ trace_id: `t${nth}`, committed_at_ms: 1000 * nth, took_ms });
const span = (nth: number, name: string, [from, to]: [number, number]): Seen => ({
  trace_id: `t${nth}`,
  service: 'app',
  name,
  start_ms: 1000 * nth + from,
  end_ms: 1000 * nth + to,
});

describe('the stages of events', () => {
  const events = [0, 1, 2, 3, 4].map((nth) => event(nth, nth === 4 ? 90 : 10 + nth));
  const stores = events.map((_, nth) => span(nth, 'store', nth === 4 ? [80, 85] : [2 + nth, 4 + nth]));

  it('are listed in order, by the median and for the slowest events', () => {
    const opens = events.map((_, nth) => span(nth, 'open', [8, 9]));

    const stages = stagesOf([...opens, ...stores], events);

    expect(stages.map(({ stage }) => stage)).toEqual(['app: store', 'app: open', 'handled']);
    expect(stages[0]).toEqual({ stage: 'app: store', begins_ms: 4, takes_ms: 2, late_begins_ms: 80, late_takes_ms: 5 });
    expect(stages[2]).toMatchObject({ begins_ms: 12, late_begins_ms: 90 });
  });

  it('are only those that most events have, measured on the events that have them all', () => {
    const mostOpen = [0, 1, 2, 3].map((nth) => span(nth, 'open', [8, 9]));
    const fewRepeat = [span(0, 'repeat', [9, 9])];

    const stages = stagesOf([...stores, ...mostOpen, ...fewRepeat], events);

    expect(stages.map(({ stage, late_begins_ms }) => [stage, late_begins_ms])).toEqual([
      ['app: store', 5],
      ['app: open', 8],
      ['handled', 13],
    ]);
  });

  it('count the first of several spans of one name, and ignore spans that belong to no event', () => {
    const again = stores.map((one) => ({ ...one, start_ms: one.start_ms + 50, end_ms: one.end_ms + 60 }));

    expect(stagesOf([...again, ...stores, span(9, 'store', [0, 1])], events)[0]!.takes_ms).toBe(2);
    expect(stagesOf(stores, [])).toEqual([]);
  });
});
