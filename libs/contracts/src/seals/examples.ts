import type { Examples } from '../core/example.ts';

const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const CERTIFICATE = {
  subject: 'CN=codase.example document seal, O=codase.example',
  issuer: 'CN=codase.example document seal, O=codase.example',
  fingerprint_sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  valid_from: '2026-11-16T08:00:00.000Z',
  valid_to: '2036-11-16T09:00:00.000Z',
};

/** Examples, by the names of the endpoints. */
export const sealsExamples: Examples = {
  verify_pdf: {
    result: {
      verdict: 'sealed',
      reason: null,
      bytes: 48_213,
      sha256: SHA256,
      signatures: [
        {
          state: 'whole',
          why: null,
          covers_whole_file: true,
          bytes_after: 0,
          by_this_platform: true,
          in_form: true,
          certificate: CERTIFICATE,
          certificate_was_valid: true,
          signer: 'codase.example',
          reason: 'Signed or accepted by all parties',
          claimed_at: '2026-11-16T12:00:00.000Z',
          timestamp: null,
          signed: { bytes: 20_114, sha256: SHA256 },
        },
      ],
    },
  },
  list_known_certificates: {
    result: {
      items: [{ ...CERTIFICATE, certificate_pem: '-----BEGIN CERTIFICATE-----\nMIIE…\n-----END CERTIFICATE-----\n' }],
      next_cursor: null,
    },
  },
};
