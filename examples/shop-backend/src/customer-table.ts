import type { PoolClient } from 'pg';

/** Somebody who is connected to the shop. */
export interface Customer {
  person_id: string;
  connection_id: string;
  name: string;
}

/** What was shared for one thing the shop asked: text, or what its type parses to; undefined for a file. */
export interface Field {
  slug: string;
  value: unknown;
  at: string;
}

export async function findCustomer(tx: PoolClient, person_id: string): Promise<Customer | undefined> {
  const { rows } = await tx.query<Customer>('select person_id, connection_id, name from customer where person_id = $1', [person_id]);
  return rows[0];
}

export async function addCustomer(tx: PoolClient, { person_id, connection_id, name }: Customer, connected_at: string): Promise<void> {
  const insert = 'insert into customer (person_id, connection_id, name, connected_at) values ($1, $2, $3, $4)';
  await tx.query(insert, [person_id, connection_id, name, connected_at]);
}

/** Their fields go with them. */
export async function deleteCustomer(tx: PoolClient, person_id: string): Promise<void> {
  await tx.query('delete from customer where person_id = $1', [person_id]);
}

export async function saveField(tx: PoolClient, person_id: string, { slug, value, at }: Field): Promise<void> {
  await tx.query(
    `insert into customer_field (person_id, slug, value, changed_at) values ($1, $2, $3, $4)
     on conflict (person_id, slug) do update set value = excluded.value, changed_at = excluded.changed_at`,
    [person_id, slug, value === undefined ? null : JSON.stringify(value), at],
  );
}

export async function deleteField(tx: PoolClient, person_id: string, slug: string): Promise<void> {
  await tx.query('delete from customer_field where person_id = $1 and slug = $2', [person_id, slug]);
}
