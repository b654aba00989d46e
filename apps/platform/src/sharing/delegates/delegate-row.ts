import type { EncryptedPrivateKey } from '@codase/contracts';
import type { DelegateEntity, DelegateGrantEntity } from './delegate.entity.ts';

/** A delegation as the delegate sees it, with the company as it is now. */
export interface DelegationRow extends DelegateEntity {
  company_display_name: string;
  company_share_code: string;
}

/** A granted service, as lists show it. */
export interface GrantRow extends Pick<DelegateGrantEntity, 'delegate_id' | 'service_id' | 'key_read_at'> {
  name: string;
  has_key: boolean;
}

/** A granted service as the delegate reads it. */
export interface DelegatedServiceRow extends GrantRow, DelegateGrantEntity {
  public_key: string;
  encrypted_private_key: EncryptedPrivateKey;
}
