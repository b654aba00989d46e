import type { EncryptedPrivateKey, Output, services } from '@codase/contracts';

/** A service and its company. Every statement names both, so that no company reaches a service of another. */
export interface OwnService {
  company_user_id: string;
  service_id: string;
}

/** A service as its region keeps it. @spec D1-2.4 */
export interface ServiceRow extends OwnService {
  name: string;
  share_code: string;
  admin_email: string;
  /** When the address was confirmed; null while nobody has shown that mail to the address is read. @gap D1-2.4 */
  admin_email_confirmed_at: Date | null;
  admin_email_code_hash: string | null;
  admin_email_code_ends_at: Date | null;
  admin_email_code_failures: number;
  number_matching: boolean;
  audience: 'both' | 'b2b';
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey;
  /** The private key file that the creator stored, which only the passphrase opens; null when there is none. @gap D1-2.3 */
  private_key_pem: string | null;
  shared_fields: string[];
  photo_id: string | null;
  /** The version of the request fields, which grows with every publication. */
  config_version: number;
  created_at: Date;
  /** What this region and the front door are doing to the service, one after the other. A worker finishes what a crash interrupted. */
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
