import type { DashboardPlan, Panel } from './dashboard.ts';
import { anyOf, BACKLOG_AGE, either, grown, IN, LAG_RATE } from './queries.ts';

const FAILURES = [
  'codase_unexpected_total',
  'codase_bus_parked_total',
  'codase_feed_unreadable_total',
  'codase_client_failed_total',
  'codase_feed_drains_failed_total',
  'codase_feed_publish_failed_total',
  'codase_decryptor_refused_total',
  'codase_twofa_consumed_without_record_total',
];

const FIVE: readonly Panel[] = [
  {
    title: 'Services not ready',
    says: 'Replicas whose readiness check fails. /readyz of each says why, in a sentence.',
    unit: 'short',
    shows: { 'not ready': either(`count (codase_ready${IN} == 0)`) },
    badFrom: 1,
  },
  {
    title: 'Events handled in 5 minutes',
    says: 'Of those that came in. Where events come in and none is handled, look at what waits.',
    unit: 'short',
    shows: {
      handled: either(grown(`codase_client_handled_total${IN}`, '5m')),
      'came in': either(grown(`codase_feed_received_total${IN}`, '5m')),
    },
    badFrom: Number.MAX_SAFE_INTEGER,
  },
  {
    title: 'Longest wait',
    says: 'The oldest event that waits: for a webhook at the platform, to be published, or for a handler.',
    unit: 's',
    shows: {
      'longest wait': either(`max (${anyOf(['codase_webhook_backlog_age_seconds', 'codase_feed_spool_age_seconds', ...BACKLOG_AGE], IN)})`),
    },
    badFrom: 60,
  },
  {
    title: 'From edit to handler',
    says: 'Age of 99 of 100 events when the handler of the company takes them.',
    unit: 's',
    shows: { p99: either(`histogram_quantile(0.99, sum by (le) (${LAG_RATE})) >= 0`) },
    badFrom: 60,
  },
  {
    title: 'Gone wrong in 15 minutes',
    says: 'What needs a person: errors, parked events, failed handlers and drains, values not opened. The alerts name which.',
    unit: 'short',
    // One expression for each series: Prometheus takes no increase of several names at once.
    shows: { 'gone wrong': FAILURES.map((series) => `(${either(grown(`${series}${IN}`, '15m'))})`).join(' + ') },
    badFrom: 1,
  },
];

/** For a person who has never seen the system: five numbers that say whether it is well. */
export const WELL: DashboardPlan = { uid: 'codase-well', title: 'Is it well?', rows: { 'Five numbers': FIVE } };
