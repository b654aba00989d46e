import type { SeenSpan } from '@codase/stack/trace-receiver';
import { barsOf, tracesOfEvents } from './traces-of-events.ts';

const span = (
  span_id: string,
  parent_id: string | undefined,
  start_ms: number,
  end_ms: number,
  more: Partial<SeenSpan> = {},
): SeenSpan => ({
  trace_id: 'a',
  span_id,
  parent_id,
  service: 'region-eu',
  name: `span ${span_id}`,
  kind: 'internal',
  start_ms,
  end_ms,
  attributes: {},
  failed: false,
  ...more,
});

describe('the traces of events', () => {
  it('are those with a consumer span, newest first', () => {
    const spans = [
      span('2', '1', 5, 9, { kind: 'consumer', service: 'shop-backend' }),
      span('1', undefined, 0, 4),
      span('3', undefined, 20, 21, { trace_id: 'b', kind: 'consumer', failed: true }),
      span('4', undefined, 30, 31, { trace_id: 'c' }),
    ];
    expect(tracesOfEvents(spans, 9)).toEqual([
      { trace_id: 'b', began: 'span 3', at_ms: 20, took_ms: 1, services: ['region-eu'], failed: true },
      { trace_id: 'a', began: 'span 1', at_ms: 0, took_ms: 9, services: ['shop-backend', 'region-eu'], failed: false },
    ]);
    expect(tracesOfEvents(spans, 1)).toHaveLength(1);
  });
});

describe('the bars of a trace', () => {
  it('are placed below their parents in order of their start; a bar without its parent is a root', () => {
    const bars = barsOf([span('3', '1', 6, 8), span('2', '1', 2, 4), span('1', undefined, 0, 10), span('4', 'lost', 1, 2)]);
    expect(bars.map(({ span: { span_id }, depth, start, width }) => [span_id, depth, start, width])).toEqual([
      ['1', 0, 0, 1],
      ['2', 1, 0.2, 0.2],
      ['3', 1, 0.6, 0.2],
      ['4', 0, 0.1, 0.1],
    ]);
  });

  it('show successful database statements as ticks, and failed ones as bars', () => {
    const statement = (id: string, at: number, failed: boolean) => span(id, '1', at, at + 1, { name: 'pg.query:SELECT', failed });
    const bars = barsOf([span('1', undefined, 0, 10), statement('2', 1, false), statement('3', 5, true)]);
    expect(bars.map(({ span: { span_id }, statements }) => [span_id, statements])).toEqual([
      ['1', [{ start: 0.1, width: 0.1 }]],
      ['3', []],
    ]);
  });

  it('are empty for a trace without spans', () => expect(barsOf([])).toEqual([]));
});
