import type { SeenSpan } from '@codase/stack/trace-receiver';
import { drawTrace } from './draw-trace.ts';

const span = (span_id: string, parent_id: string | undefined, start_ms: number, more: Partial<SeenSpan> = {}): SeenSpan => ({
  trace_id: 't',
  span_id,
  parent_id,
  service: 'gateway',
  name: span_id,
  kind: 'client',
  start_ms,
  end_ms: start_ms + 2,
  attributes: {},
  failed: false,
  ...more,
});

it('a drawn trace shows children below their parent, in the order of their start', () => {
  expect(
    drawTrace([
      span('late', 'root', 9),
      span('root', undefined, 0),
      span('early', 'root', 1),
      span('deep', 'early', 2, { service: 'region-eu', kind: 'server', failed: true }),
    ]),
  ).toBe(
    [
      'gateway  root (client) 2.0 ms',
      '  gateway  early (client) 2.0 ms',
      '    region-eu  deep (server) 2.0 ms  FAILED',
      '  gateway  late (client) 2.0 ms',
    ].join('\n'),
  );
});

it('a drawn trace shows a span whose parent is missing', () => {
  expect(drawTrace([span('orphan', 'lost', 0)])).toContain('orphan');
});
