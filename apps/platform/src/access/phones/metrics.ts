import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  phonesAdded: counter('codase.phones.added', '{phone}', 'Phones that persons registered'),
  phonesRemoved: counter('codase.phones.removed', '{phone}', 'Phones that persons removed, with their sessions'),
};
