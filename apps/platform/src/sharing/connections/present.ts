import type { Connection, ConnectionValue, CustomerConnection, Sealed, ServiceCard } from '@codase/contracts';
import type { z } from 'zod';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';

type Card = z.infer<typeof ServiceCard>;

/** Returns the address at which a service fetches a binary answer. @spec D1-2.8 */
const fileUrl = ({ connection_id, service_field_id }: Pick<SharedValueRow, 'connection_id' | 'service_field_id'>): string =>
  `/api/company-data/connections/${connection_id}/slots/${service_field_id}/file`;

/** Presents a text as its ciphertext, and a file as the address to fetch it from. @spec D1-2.8 */
export const contentOf = (row: Pick<SharedValueRow, 'connection_id' | 'service_field_id' | 'value'>) =>
  row.value === null ? { value_url: fileUrl(row) } : { value: row.value as Sealed };

/** Presents a connection to its service, by the slugs of the request, not by the fields that answered. @spec D1-2.5 @spec D1-2.7 */
export function presentConnection(row: ConnectionRow, values: readonly SharedValueRow[]): Connection {
  return {
    id: row.connection_id,
    person_id: row.customer_user_id,
    display_name: row.display_name,
    connected_at: row.connected_at.toISOString(),
    customer_type: row.customer_type,
    share_code: row.share_code,
    values: Object.fromEntries(values.map((value) => [value.slug, presentValue(value)])),
    values_private: Object.fromEntries(values.map(({ slug, source_private }) => [slug, source_private])),
  };
}

const presentValue = (row: SharedValueRow): ConnectionValue => ({
  ...contentOf(row),
  live: row.live,
  updated_at: row.updated_at.toISOString(),
  ...row.verification,
});

/** The same with a list of its slots, whose ids are part of the address of a file. @spec D1-2.7 */
export const presentDetail = (row: ConnectionRow, values: readonly SharedValueRow[]) => ({
  ...presentConnection(row, values),
  fields: values.map(({ service_field_id, slug, label, type }) => ({ service_field_id, slug, label, type })),
});

/** Presents a connection to its customer. The shape of the contract keeps only those members of the card that are shown. @gap D1-5.8 */
export const presentCustomerConnection = (
  { connection_id, connected_at }: ConnectionRow,
  service: Card,
  values: readonly SharedValueRow[],
  declined: readonly string[],
): z.infer<typeof CustomerConnection> => ({
  id: connection_id,
  service,
  connected_at: connected_at.toISOString(),
  values: values.map(({ slug, live, source_private, source_field, updated_at }) => ({
    slug,
    live,
    source_private,
    source_field,
    updated_at: updated_at.toISOString(),
  })),
  open_requests: service.request_fields.filter(({ slug }) => !declined.includes(slug) && !values.some((value) => value.slug === slug)),
});
