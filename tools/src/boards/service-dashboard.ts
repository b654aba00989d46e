import type { DashboardPlan } from './dashboard.ts';
import { grown, line, rates, sums, WHERE } from './queries.ts';

export const SERVICE: DashboardPlan = {
  uid: 'codase-service',
  title: 'One service in detail',
  rows: {
    'The process': [
      line('Ready', 'short', '1 is ready.', { '{{pod}}': `codase_ready${WHERE}` }),
      line('Delay of the event loop, 99 of 100', 's', 'Above 100 ms callers wait for the processor.', {
        '{{pod}}': `nodejs_eventloop_delay_p99_seconds${WHERE}`,
      }),
      line('Event loop busy', 'percentunit', 'Near 1 a replica can do no more.', { '{{pod}}': `nodejs_eventloop_utilization${WHERE}` }),
      line('Memory', 'bytes', 'Resident, and heap in use.', {
        'resident {{pod}}': `process_memory_usage_bytes${WHERE}`,
        'heap {{pod}}': `v8js_memory_heap_used_bytes${WHERE}`,
      }),
      rates('Garbage collection', 'percentunit', 'Share of the time, by kind.', { '{{v8js_gc_type}}': 'v8js_gc_duration_seconds_sum' }),
    ],
    'What it stands on': [
      line('Connections to Postgres', 'short', 'In use against the limit.', {
        '{{pod}}': `sum by (pod) (codase_db_pool_connections${WHERE})`,
        limit: `max (codase_db_pool_limit${WHERE})`,
      }),
      sums('Requests that wait for a connection', 'short', 'More than none for long: the pool is too small or a statement too slow.', {
        '{{pod}}': 'codase_db_pool_waiting',
      }),
      line('Reconnected and retried in an hour', 'short', 'To NATS and Postgres.', {
        reconnected: grown(`codase_bus_reconnected_total${WHERE}`, '1h', 'pod'),
        retried: grown(`codase_connect_retried_total${WHERE}`, '1h', 'pod'),
      }),
      sums('Leases held', 'short', 'Shards of work, by replica: they add up to all.', { '{{pod}}': 'codase_leases_held' }),
      rates('Background rounds that failed', 'ops', 'By what they do.', { '{{codase_check}}': 'codase_rounds_failed_total' }),
    ],
  },
};
