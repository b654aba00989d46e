import type { ConnectionEntity } from './connection.entity.ts';
import type { SharedValueEntity } from './shared-value.entity.ts';

/** The connection of one customer to a service, as the region of the company stores it. @spec D1-2.7 */
export type ConnectionRow = Omit<ConnectionEntity, 'dropped_as_of'>;

/** An answer to a request row, with the slug, label and type of the row. The file of a binary answer is read separately. @spec D1-2.7 */
export type SharedValueRow = Omit<SharedValueEntity, 'company_user_id' | 'file_deleted'> & Record<'slug' | 'label' | 'type', string>;
