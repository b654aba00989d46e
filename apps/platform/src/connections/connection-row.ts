import type { Verification } from '@cds/contracts';

/** Somebody connected to a service, as the company's region keeps it. @spec D1-2.7 */
export interface ConnectionRow {
  connection_id: string;
  company_user_id: string;
  service_id: string;
  customer_user_id: string;
  customer_type: 'person' | 'company';
  /** As the customer was called when it connected: there is no event that could tell another name. @gap D1-2.7 */
  display_name: string;
  share_code: string;
  public_key: string;
  connected_at: Date;
}

/** An answer to a request row, with what is asked there. The file of a binary answer is read apart. @spec D1-2.7 */
export interface SharedValueRow {
  shared_value_id: string;
  connection_id: string;
  service_field_id: string;
  slug: string;
  label: string;
  type: string;
  /** Null for a file. */
  value: string | null;
  /** What its content hashes to; null for a text. */
  file_sha256: string | null;
  live: boolean;
  source_private: boolean;
  /** The customer's own field, while its edits are followed. */
  source_field: string | null;
  verification: Verification;
  updated_at: Date;
  /** When the customer did it, by the clock at home; null where that is not known. */
  as_of: Date | null;
  /** When a file that was shared once can be fetched no more. */
  expires_at: Date | null;
}
