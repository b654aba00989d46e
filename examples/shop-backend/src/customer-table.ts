import type { PoolClient } from 'pg';

// An event can be resent, and then arrives after newer ones. Each row keeps the time of its change, so an older event changes nothing.

/** A person who is connected to the shop. */
export interface Customer {
  person_id: string;
  connection_id: string;
  name: string;
  connected_at: Date;
}

/** The value shared for one request field: a text, or the parsed value of its type. Undefined for a file. */
export interface Field {
  slug: string;
  value: unknown;
  at: string;
}

export async function findCustomer(tx: PoolClient, person_id: string): Promise<Customer | undefined> {
  const { rows } = await tx.query<Customer>('select person_id, connection_id, name, connected_at from customer where person_id = $1', [
    person_id,
  ]);
  return rows[0];
}

/** Stores a customer, replacing an earlier connection of the person and its fields. */
export async function putCustomer(tx: PoolClient, { person_id, connection_id, name, connected_at }: Customer): Promise<void> {
  await tx.query('delete from customer where person_id = $1', [person_id]);
  const insert = 'insert into customer (person_id, connection_id, name, connected_at) values ($1, $2, $3, $4)';
  await tx.query(insert, [person_id, connection_id, name, connected_at]);
}

/** Deletes a customer and their fields, unless the person has connected again since. Returns the deleted customer. */
export async function deleteCustomer(tx: PoolClient, person_id: string, at: string): Promise<Pick<Customer, 'name'> | undefined> {
  const remove = 'delete from customer where person_id = $1 and connected_at <= $2 returning name';
  const { rows } = await tx.query<Pick<Customer, 'name'>>(remove, [person_id, at]);
  return rows[0];
}

/** Stores a field. Returns whether the row changed. */
export const saveField = (tx: PoolClient, person_id: string, { slug, value, at }: Field): Promise<boolean> =>
  putField(tx, [person_id, slug, value === undefined ? null : jsonOf(value), true, at]);

/**
 * Returns the JSON of a value as Postgres takes it: U+FFFD stands for a character that `jsonb` refuses, which is NUL or half of a surrogate
 * pair. A customer may share any text, and a value that cannot be stored would hold up the events behind it.
 */
export const jsonOf = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/\\(?:(u0000|ud[89a-f][0-9a-f]{2})|.)/g, (escape, refused?: string) => (refused ? '\ufffd' : escape));

/** Marks a field as not shared. The row stays, so that an older event cannot restore the value. Returns whether the row changed. */
export const deleteField = (tx: PoolClient, person_id: string, slug: string, at: string): Promise<boolean> =>
  putField(tx, [person_id, slug, null, false, at]);

type Row = [person_id: string, slug: string, value: string | null, is_shared: boolean, changed_at: string];

/** The statement that most events run. It has a name, so that each connection parses and plans it once. */
const PUT_FIELD = {
  name: 'put_field',
  text: `insert into customer_field (person_id, slug, value, is_shared, changed_at)
     select person_id, $2, $3, $4, $5 from customer where person_id = $1 and connected_at <= $5
     on conflict (person_id, slug) do update set value = excluded.value, is_shared = excluded.is_shared, changed_at = excluded.changed_at
     where customer_field.changed_at <= excluded.changed_at`,
};

async function putField(tx: PoolClient, row: Row): Promise<boolean> {
  const { rowCount } = await tx.query({ ...PUT_FIELD, values: row });
  return rowCount === 1;
}
