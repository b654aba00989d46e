import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  made: counter('codase.seals.made', '{seal}', 'Seals of PDFs: made, refused because of the PDF, or failed', {
    labels: [{ 'codase.outcome': ['made', 'refused', 'failed'] }],
  }),
  verified: counter('codase.seals.verified', '{document}', 'PDFs that anyone had verified, by what was found', {
    labels: [{ 'codase.outcome': ['sealed', 'altered_after_seal', 'altered', 'signed_by_others', 'not_signed', 'unreadable'] }],
  }),
  certificateLeft: gauge('codase.seals.certificate.left', 's', 'How long the certificate that seals are made with is still valid'),
  duration: histogram('codase.seals.duration', 's', 'Time to read a PDF, draw the Signatures page and seal it'),
};
