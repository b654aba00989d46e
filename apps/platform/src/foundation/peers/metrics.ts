/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  speakersRefused: {
    name: 'codase.peers.speakers_refused',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests of other regions that were refused because the user for whom they are made does not live in the region that sent them',
    openLabels: ['codase.caller'],
  },
} as const;
