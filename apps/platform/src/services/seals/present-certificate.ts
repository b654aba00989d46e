import type { SealCertificate } from '@codase/contracts';

/** Returns a stored certificate, whose id is its fingerprint, as services see it. */
export const presentCertificate = (row: { certificate_id: string; certificate_pem: string; created_at: Date }): SealCertificate => ({
  certificate_pem: row.certificate_pem,
  fingerprint_sha256: row.certificate_id,
  created_at: row.created_at.toISOString(),
});
