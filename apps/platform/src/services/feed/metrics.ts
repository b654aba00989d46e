import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  feedDrained: counter(
    'codase.feed.drained',
    '{event}',
    'Events that left the pull feed, with the answer or by acknowledgement of a lease',
  ),
  feedCut: counter('codase.feed.cut', '{drain}', 'Drains whose answer was cut off, and whose events come again'),
  customerEventsPostponed: counter(
    'codase.customer_feed.postponed',
    '{event}',
    "Attempts to hand an event for a company's own feed to another region that failed and are repeated",
  ),
  customerEventsGivenUp: counter(
    'codase.customer_feed.given_up',
    '{event}',
    "Events for companies' own feeds that no region took in the time they are kept",
  ),
};
