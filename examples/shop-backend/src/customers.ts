import type { CodaseClient, Handlers, Handling } from '@codase/client';
import type { PoolClient } from 'pg';
import { ConnectionList } from './connection-list.ts';
import { deleteCustomer, deleteField, findCustomer, putCustomer, saveField, type Customer } from './customer-table.ts';
import { SharedValues } from './shared-values.ts';

/**
 * Keeps the tables up to date as customers change what they share, and reports a line for each change. A handler writes only through `tx`,
 * so an event that arrives twice is written once, and only its line may appear twice. An event that is older than its row changes nothing.
 * `welcome` is called for every new customer, possibly twice.
 */
export function customerHandlers(
  codase: CodaseClient,
  report: (line: string) => void,
  welcome: (tx: PoolClient, customer: Customer) => Promise<void> = async () => undefined,
): Handlers<PoolClient> {
  const shared = new SharedValues(codase);
  const connections = new ConnectionList(codase);

  /** Reads and stores the whole connection of a new customer, because an event carries only one change. */
  async function addCustomer(person_id: string, { tx, open }: Handling<PoolClient>): Promise<void> {
    const connection = await connections.of(person_id);
    if (!connection) return; // the person has left again, and that event will arrive
    const fields = await shared.fieldsOf(connection, open);
    const { id: connection_id, display_name: name } = connection;
    const customer = { person_id, connection_id, name, connected_at: new Date(connection.connected_at) };
    await putCustomer(tx, customer);
    for (const field of fields) await saveField(tx, person_id, field);
    report(`${name} is a customer: ${fields.map(({ slug, value }) => `${slug} ${shown(value)}`).join(', ') || 'shares nothing'}`);
    await welcome(tx, customer);
  }

  return {
    connection_created: async ({ person_user_id, at }, handling) => {
      const customer = await findCustomer(handling.tx, person_user_id);
      const isKnown = customer && customer.connected_at >= new Date(at);
      if (!isKnown) await addCustomer(person_user_id, handling);
    },

    connection_deleted: async ({ person_user_id, at }, { tx }) => {
      const customer = await deleteCustomer(tx, person_user_id, at);
      if (customer) report(`${customer.name} has left and is forgotten`);
    },

    field_updated: {
      opens: ({ slug, value }) => shared.requestsFor(slug, value),
      handle: async ({ person_user_id, slug, value, at }, handling) => {
        const { tx, open } = handling;
        const customer = await findCustomer(tx, person_user_id);
        if (!customer) return addCustomer(person_user_id, handling);
        const clear = await shared.read(slug, value, open);
        const isNews = await saveField(tx, person_user_id, { slug, value: clear, at });
        if (isNews) report(`${customer.name} changed ${slug}: ${shown(clear)}`);
      },
    },

    field_deleted: async ({ person_user_id, slug, at }, { tx }) => {
      const customer = await findCustomer(tx, person_user_id);
      const isNews = await deleteField(tx, person_user_id, slug, at);
      if (customer && isNews) report(`${customer.name} no longer shares ${slug}`);
    },

    // The event says that a field is shared, but not its value, which is read from the connection.
    consent_accepted: async ({ person_user_id, slug, at }, handling) => {
      const { tx, open } = handling;
      const customer = await findCustomer(tx, person_user_id);
      if (!customer) return addCustomer(person_user_id, handling);
      const given = (await connections.read(customer.connection_id))?.values[slug];
      if (!given) return; // the consent was taken back or the person has left, and that event will arrive
      const clear = await shared.read(slug, given.value, open);
      const isNews = await saveField(tx, person_user_id, { slug, value: clear, at });
      if (isNews) report(`${customer.name} shares ${slug}: ${shown(clear)}`);
    },

    consent_declined: async ({ person_user_id, slug }, { tx }) => {
      const customer = await findCustomer(tx, person_user_id);
      if (customer) report(`${customer.name} does not want to share ${slug}`);
    },
  };
}

const shown = (value: unknown): string => (value === undefined ? '(a file)' : typeof value === 'string' ? value : JSON.stringify(value));
