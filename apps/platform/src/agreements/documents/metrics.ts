import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  created: counter('codase.documents.created', '{document}', 'Documents that services issued'),
  acts: counter('codase.documents.acts', '{act}', 'What recipients did with documents: signed, accepted, declined, cancelled', {
    labels: [{ 'codase.outcome': ['signed', 'accepted', 'declined', 'cancelled'] }],
  }),
  ended: counter('codase.documents.ended', '{document}', 'Cancelled documents whose last day came'),
};
