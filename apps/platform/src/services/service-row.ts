import type { EncryptedPrivateKey, Output, services } from '@cds/contracts';

/** Which service, and whose: every statement names both, so that nobody reaches another company's. */
export interface OwnService {
  company_user_id: string;
  service_id: string;
}

/** A service as its region keeps it. @spec D1-2.4 */
export interface ServiceRow extends OwnService {
  name: string;
  share_code: string;
  admin_email: string;
  /** When the address was confirmed; null while nobody has shown that mail to it is read. @gap D1-2.4 */
  admin_email_confirmed_at: Date | null;
  admin_email_code_hash: string | null;
  admin_email_code_ends_at: Date | null;
  admin_email_code_failures: number;
  number_matching: boolean;
  audience: 'both' | 'b2b';
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey;
  /** As its creator left it, if so. @gap D1-2.3 */
  private_key_pem: string | null;
  shared_fields: string[];
  photo_id: string | null;
  /** Counts the publications of its request. */
  config_version: number;
  created_at: Date;
  /** What this region and the front door are doing to it one after the other; a worker finishes what a crash left. */
  transition: 'creating_client' | 'withdrawing_client' | 'deleting' | null;
  /** The client that is being created or withdrawn. */
  transition_client_id: string | null;
}

/** A service as its owner reads it. */
export const presentService = ({ service_id, created_at, ...row }: ServiceRow): Output<typeof services.readService> => ({
  ...row,
  id: service_id,
  admin_email_confirmed: row.admin_email_confirmed_at !== null,
  created_at: created_at.toISOString(),
});
