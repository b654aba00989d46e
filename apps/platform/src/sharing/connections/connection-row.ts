import type { Verification } from '@codase/contracts';

/** The connection of one customer to a service, as the region of the company stores it. @spec D1-2.7 */
export interface ConnectionRow {
  connection_id: string;
  company_user_id: string;
  service_id: string;
  customer_user_id: string;
  customer_type: 'person' | 'company';
  /** The name of the customer at the time of connecting: no event could report a later name. @gap D1-2.7 */
  display_name: string;
  share_code: string;
  public_key: string;
  connected_at: Date;
}

/** An answer to a request row, with the slug, label and type of the row. The file of a binary answer is read separately. @spec D1-2.7 */
export interface SharedValueRow {
  shared_value_id: string;
  connection_id: string;
  service_field_id: string;
  slug: string;
  label: string;
  type: string;
  /** Null for a file. */
  value: string | null;
  /** The SHA-256 of the file as it is served; null for a text. */
  file_sha256: string | null;
  live: boolean;
  source_private: boolean;
  /** The customer's own field that a live answer follows; null for a snapshot. */
  source_field: string | null;
  verification: Verification;
  updated_at: Date;
  /** When the customer made this change, by the clock of the home region; null when that is not known. */
  as_of: Date | null;
  /** From when on a file that was shared once cannot be fetched any more; null for other answers. */
  expires_at: Date | null;
}
