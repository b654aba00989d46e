import type { CdsClient, Handlers, Handling } from '@cds/client';
import { connections, type Connection } from '@cds/contracts';
import type { PoolClient } from 'pg';
import { addCustomer, deleteCustomer, deleteField, findCustomer, saveField } from './customer-table.ts';
import { SharedValues } from './shared-values.ts';

/**
 * Keeps the tables as customers change what they share, and tells a line for each change. A handler writes through `tx` alone, so an
 * event that comes twice is written once; only the line might be told twice.
 */
export function customerHandlers(cds: CdsClient, tell: (line: string) => void): Handlers<PoolClient> {
  const shared = new SharedValues(cds);

  /** An event carries no more than itself: whom we hear of for the first time, we read whole. */
  async function meet(person_id: string, { tx, open }: Handling<PoolClient>): Promise<void> {
    const connection = await findConnection(cds, person_id);
    if (!connection) return; // has left again meanwhile: that event is on its way
    const fields = await shared.fieldsOf(connection, open);
    const name = connection.display_name;
    await deleteCustomer(tx, person_id); // of an earlier time, if that was missed
    await addCustomer(tx, { person_id, connection_id: connection.id, name }, connection.connected_at);
    for (const field of fields) await saveField(tx, person_id, field);
    tell(`${name} is a customer: ${fields.map(({ slug, value }) => `${slug} ${shown(value)}`).join(', ') || 'shares nothing'}`);
  }

  return {
    connection_created: ({ person_user_id }, handling) => meet(person_user_id, handling),

    connection_deleted: async ({ person_user_id }, { tx }) => {
      const customer = await findCustomer(tx, person_user_id);
      await deleteCustomer(tx, person_user_id);
      if (customer) tell(`${customer.name} has left and is forgotten`);
    },

    field_updated: async ({ person_user_id, slug, value, at }, handling) => {
      const { tx, open } = handling;
      const customer = await findCustomer(tx, person_user_id);
      if (!customer) return meet(person_user_id, handling);
      const clear = await shared.read(slug, value, open);
      await saveField(tx, person_user_id, { slug, value: clear, at });
      tell(`${customer.name} changed ${slug}: ${shown(clear)}`);
    },

    field_deleted: async ({ person_user_id, slug }, { tx }) => {
      const customer = await findCustomer(tx, person_user_id);
      await deleteField(tx, person_user_id, slug);
      if (customer) tell(`${customer.name} no longer shares ${slug}`);
    },

    // The event says that a field is shared, not what it holds: that is read from the connection.
    consent_accepted: async ({ person_user_id, slug, at }, handling) => {
      const { tx, open } = handling;
      const customer = await findCustomer(tx, person_user_id);
      if (!customer) return meet(person_user_id, handling);
      const { values } = await cds.request(connections.readConnection, { params: { connectionId: customer.connection_id } });
      if (!values[slug]) return; // taken back meanwhile
      const clear = await shared.read(slug, values[slug].value, open);
      await saveField(tx, person_user_id, { slug, value: clear, at });
      tell(`${customer.name} shares ${slug}: ${shown(clear)}`);
    },

    consent_declined: async ({ person_user_id, slug }, { tx }) => {
      const customer = await findCustomer(tx, person_user_id);
      if (customer) tell(`${customer.name} does not want to share ${slug}`);
    },
  };
}

type Page = { items: Connection[]; next_cursor: string | null };

/** The list is in the order people came and its rate is limited: with many customers, take new ones in by a sync now and then instead. */
async function findConnection(cds: CdsClient, person_id: string): Promise<Connection | undefined> {
  let cursor: string | undefined;
  do {
    const page: Page = await cds.request(connections.listConnections, { query: { limit: 200, cursor } });
    const found = page.items.find((connection) => connection.person_id === person_id);
    if (found) return found;
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return undefined;
}

const shown = (value: unknown): string => (value === undefined ? '(a file)' : typeof value === 'string' ? value : JSON.stringify(value));
