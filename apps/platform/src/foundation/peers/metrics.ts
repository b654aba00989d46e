import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  speakersRefused: counter(
    'codase.peers.speakers_refused',
    '{request}',
    'Requests of other regions that were refused because the user for whom they are made does not live in the region that sent them',
    { openLabels: ['codase.caller'] },
  ),
};
