import { counter, histogram } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  appEventsPostponed: counter(
    'codase.app_events.postponed',
    '{event}',
    'Attempts to hand an event for phones to another region that failed and are repeated',
  ),
  appEventsGivenUp: counter('codase.app_events.given_up', '{event}', 'Events for phones that no region took in the time they are kept'),
  appEventsPresented: counter('codase.app_events.presented', '{event}', 'Events that phones were given, on streams and by polls'),
  appEventsUnpresented: counter(
    'codase.app_events.unpresented',
    '{event}',
    'Events in place of which phones were told to read their lists, as what they are about could not be read in time',
  ),
  appEventLag: histogram(
    'codase.app_events.lag',
    's',
    'Time from the change to the moment its event is ready for a phone; long where the phone was away',
  ),
  appStreamsReplaced: counter(
    'codase.app_events.streams.replaced',
    '{stream}',
    'Streams that ended because their person opened more than may be open',
  ),
  appEventsExpired: counter('codase.app_events.expired', '{event}', 'Events for phones that were deleted because they are kept no longer'),
};
