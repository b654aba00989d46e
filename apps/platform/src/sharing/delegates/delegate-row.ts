import type { EncryptedPrivateKey, Sealed } from '@codase/contracts';

/** A user who may work for a company, as the region of the company stores it. */
export interface DelegateRow {
  delegate_id: string;
  company_user_id: string;
  delegate_user_id: string;
  delegate_type: 'person' | 'company';
  /** The name at the time of adding, which is shown when the home region of the delegate does not answer. */
  display_name: string;
  public_key: string;
  created_at: Date;
}

/** A delegation as the delegate sees it, with the company as it is now. */
export interface DelegationRow extends DelegateRow {
  company_display_name: string;
  company_share_code: string;
}

/** A granted service, as lists show it. */
export interface GrantRow {
  delegate_id: string;
  service_id: string;
  name: string;
  has_key: boolean;
  key_read_at: Date | null;
}

/** A granted service as the delegate reads it. */
export interface DelegatedServiceRow extends GrantRow {
  grant_id: string;
  company_user_id: string;
  passphrase: Sealed | null;
  granted_at: Date;
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey;
}
