/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  made: {
    name: 'codase.seals.made',
    kind: 'counter',
    unit: '{seal}',
    what: 'Seals of PDFs: made, refused because of the PDF, or failed',
    labels: [{ 'codase.outcome': ['made', 'refused', 'failed'] }],
  },
  verified: {
    name: 'codase.seals.verified',
    kind: 'counter',
    unit: '{document}',
    what: 'PDFs that anyone had verified, by what was found',
    labels: [{ 'codase.outcome': ['sealed', 'altered_after_seal', 'altered', 'signed_by_others', 'not_signed', 'unreadable'] }],
  },
  certificateLeft: {
    name: 'codase.seals.certificate.left',
    kind: 'gauge',
    unit: 's',
    what: 'How long the certificate that seals are made with is still valid',
  },
  duration: {
    name: 'codase.seals.duration',
    kind: 'histogram',
    unit: 's',
    what: 'Time to read a PDF, draw the Signatures page and seal it',
  },
} as const;
