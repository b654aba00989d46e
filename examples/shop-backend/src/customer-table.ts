import type { PoolClient } from 'pg';

// An event can be resent, and then comes after newer ones. Each row keeps the time of its change, so an older event changes nothing.

/** Somebody who is connected to the shop. */
export interface Customer {
  person_id: string;
  connection_id: string;
  name: string;
  connected_at: Date;
}

/** What was shared for one thing the shop asked: text, or what its type parses to; undefined for a file. */
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

/** Replaces an earlier connection of the person, and the fields of that. */
export async function putCustomer(tx: PoolClient, { person_id, connection_id, name, connected_at }: Customer): Promise<void> {
  await tx.query('delete from customer where person_id = $1', [person_id]);
  const insert = 'insert into customer (person_id, connection_id, name, connected_at) values ($1, $2, $3, $4)';
  await tx.query(insert, [person_id, connection_id, name, connected_at]);
}

/** Deletes a customer and its fields, unless it has connected again since; answers the one that was deleted. */
export async function deleteCustomer(tx: PoolClient, person_id: string, at: string): Promise<Pick<Customer, 'name'> | undefined> {
  const remove = 'delete from customer where person_id = $1 and connected_at <= $2 returning name';
  const { rows } = await tx.query<Pick<Customer, 'name'>>(remove, [person_id, at]);
  return rows[0];
}

/** Answers whether the row changed. */
export const saveField = (tx: PoolClient, person_id: string, { slug, value, at }: Field): Promise<boolean> =>
  putField(tx, [person_id, slug, value === undefined ? null : JSON.stringify(value), true, at]);

/** The row stays, so that an older value does not come back; answers whether the row changed. */
export const deleteField = (tx: PoolClient, person_id: string, slug: string, at: string): Promise<boolean> =>
  putField(tx, [person_id, slug, null, false, at]);

type Row = [person_id: string, slug: string, value: string | null, is_shared: boolean, changed_at: string];

/** Most events come here. By its name, each connection parses and plans it once. */
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
