import { MOVED_TABLES } from '../../src/capabilities.ts';

/** The columns that may name whose a row is, the more telling first: a row that has several belongs to the company. */
const OWNERS = ['company_user_id', 'owner_user_id', 'customer_user_id', 'person_user_id', 'user_id'];

/** Returns the column that names the owner of a table's rows. The manifests say it for the tables that move. */
export const ownerOf = (table: string, columns: readonly string[]): string | undefined =>
  MOVED_TABLES.all.find((moved) => moved.table === table && columns.includes(moved.owner))?.owner ??
  OWNERS.find((owner) => columns.includes(owner));

/** Foreign keys that do not carry the owner, each with the reason why the owners differ, or why nobody else can write the row. */
export const OTHERS_NAMED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  front_door: {
    'app_subject (user_id)': 'it belongs to the company, and is about a person',
    'session (client_id)': 'a person signs in with a client of the platform or of a company',
  },
  region_eu: {
    'app_event (person_user_id)': 'it belongs to the person, and is about a company',
    'asking_company (person_user_id)': 'it belongs to the person, and is about a company',
  },
};

/** Columns that are called like the key of a table with owners and have no foreign key, each with the reason. */
export const NAMED_WITHOUT_KEY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  front_door: {},
  region_eu: {
    'app_event.event_id': 'the id of the event itself, not of one that waits to be handed over',
    'app_event_log.log_id': 'the id of the log itself, not of an entry of a service log',
    'feed_event.connection_id':
      'the feed of a customer has connections to other companies; slots are read for the company of an event alone',
    'feed_event.service_id': 'the feed of a customer names services of other companies; a channel belongs to one company',
  },
};

const OF_PERSONS = 'it belongs to a person, whose data are with many companies';
const OF_CUSTOMERS = 'it belongs to whoever is a customer, with many companies';
const OF_UPLOADERS = 'it belongs to who uploaded it, and is given to the company or to its customer';
const OF_WORKERS = 'only work for every company reads it: it is handed over, or compared with the object store';

/** Tables with owners that have no row security, each with the reason. */
export const WITHOUT_ROW_SECURITY: Readonly<Record<string, string>> = {
  app_event: OF_PERSONS,
  app_event_log: OF_PERSONS,
  app_event_outbox: OF_WORKERS,
  asking_company: OF_PERSONS,
  contact_field: OF_CUSTOMERS,
  contact_value: OF_CUSTOMERS,
  customer_company: OF_CUSTOMERS,
  customer_event_outbox: OF_WORKERS,
  customer_write: OF_CUSTOMERS,
  delegating_company: OF_PERSONS,
  deleted_account: 'every region knows every account that was deleted',
  flow_run_content: OF_UPLOADERS,
  flow_run_piece: OF_UPLOADERS,
  flow_run_release: OF_WORKERS,
  move_turn: 'what the region heard of moves, which no call of a company reads',
  photo: OF_UPLOADERS,
  photo_piece: OF_UPLOADERS,
  profile: 'it says whether a user is at home here, which is asked before anybody works for the user',
  slot_change: OF_CUSTOMERS,
  stored_object: OF_WORKERS,
  verification_request: OF_CUSTOMERS,
};
