import { randomInt } from 'node:crypto';
import type { Person } from '@codase/actors';
import { Fault } from '@codase/command-line';
import { Refusal } from '@codase/contracts';
import { following, joinShop, profileOf, shopConnection, type ShopField } from '@codase/stack';
import type { Action } from './demo-action.ts';
import { DOCUMENT_ACTIONS } from './document-actions.ts';

/** The actions, by the event that the shop gets; but `message` brings `message_received`, documents `document_status_changed`. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  field_updated: {
    field: 'email',
    do: async (person, { field, value = madeUp(person, field) }) => {
      const { values } = await connected(person);
      const isFollowed = values.some(({ slug, live, source_field }) => slug === field && live && source_field === field);
      if (!isFollowed) throw not(`${person.share_code} does not share ${field}`, 'consent_accepted', person, field);
      await person.fields.edits(field, value);
      return { said: `edits ${field}: ${value}`, field, value };
    },
  },
  field_deleted: {
    field: 'phone',
    do: async (person, { field }) => {
      const connection = await connected(person);
      const isShared = connection.values.some(({ slug }) => slug === field);
      if (!isShared) throw not(`${person.share_code} does not share ${field}`, 'consent_accepted', person, field);
      await person.connections.drops(connection, field);
      return { said: `stops sharing ${field}`, field };
    },
  },
  consent_accepted: {
    field: 'phone',
    do: async (person, { field, value: given }) => {
      const connection = await connected(person);
      const isShared = connection.values.some(({ slug }) => slug === field);
      if (isShared) throw not(`${person.share_code} shares ${field} already`, 'field_deleted', person, field);
      const value = given ?? (await profileOf(person))[field] ?? madeUp(person, field);
      await person.fields.edits(field, value);
      await person.connections.shares(connection, { [field]: following(field, value) });
      return { said: `shares ${field}: ${value}`, field, value };
    },
  },
  consent_declined: {
    field: 'phone',
    do: async (person, { field }) => {
      const connection = await connected(person);
      const isOpen = connection.open_requests.some(({ slug }) => slug === field);
      if (!isOpen) throw not(`${person.share_code} has answered ${field} already`, 'field_deleted', person, field);
      await person.connections.declines(connection, field);
      return { said: `declines ${field}`, field };
    },
  },
  connection_created: {
    do: async (person) => {
      if (await shopConnection(person)) throw not(`${person.share_code} is connected already`, 'connection_deleted', person);
      await joinShop(person);
      return { said: 'connects to the shop' };
    },
  },
  message: {
    takesText: true,
    do: async (person, { value = 'Is it still in stock?' }) => {
      await person.messages.writes(await connected(person), value);
      return { said: `writes to the shop: ${value}`, value };
    },
  },
  ...DOCUMENT_ACTIONS,
  connection_deleted: {
    do: async (person) => {
      await person.connections.disconnects(await connected(person)).catch((error: unknown) => {
        const isBound = error instanceof Refusal && error.key === 'company_connections.active_contract';
        throw isBound ? not(`${person.share_code} has a contract in force`, 'cancel', person) : error;
      });
      return { said: 'leaves the shop' };
    },
  },
};

async function connected(person: Person) {
  const connection = await shopConnection(person);
  if (!connection) throw not(`${person.share_code} is not connected to the shop`, 'connection_created', person);
  return connection;
}

/** Returns a fault that says why the action is not possible, and which command has to be done first. */
function not(why: string, before: string, { share_code }: Person, field?: ShopField): Fault {
  const options = [...(share_code === 'ANA' ? [] : [`--person ${share_code}`]), ...(field === undefined ? [] : [`--field ${field}`])];
  return new Fault(`${why}: first do npm run codase -- trigger ${[before, ...options].join(' ')}.`);
}

const MADE_UP: Record<ShopField, (name: string, n: number) => string> = {
  first_name: (name, n) => `${name} ${String.fromCodePoint(65 + (n % 26))}.`,
  email: (name, n) => `${name.toLowerCase()}.${n}@demo.example`,
  phone: (_, n) => `+46 70 174 ${String(n).slice(0, 2)} ${String(n).slice(2)}`,
};

/** Returns a random value, which is most likely different from the one before. */
const madeUp = ({ display_name }: Person, field: ShopField): string => MADE_UP[field](display_name.split(' ')[0]!, randomInt(1000, 10_000));
