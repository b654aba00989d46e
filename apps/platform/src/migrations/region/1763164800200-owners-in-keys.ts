import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';
import { putOwnersInKeys, type OwnedKey, type OwnedReference } from '../owners-in-keys.ts';

const key = (table: string, name: string, index = `${table}_of_company`): OwnedKey => ({
  table,
  owner: 'company_user_id',
  key: name,
  index,
});

const SERVICE = key('service', 'service_id');
const REQUEST_FIELD = key('request_field', 'service_field_id');
const CONNECTION = key('connection', 'connection_id');
const SHARED_VALUE = key('shared_value', 'shared_value_id');
const DELEGATE = key('delegate', 'delegate_id', 'delegate_with_owner');
const DOCUMENT = key('document', 'document_id');
const DOCUMENT_CONTENT = key('document_content', 'content_id');
const FLOW = key('flow', 'flow_id', 'flow_with_owner');
const FLOW_FILE = key('flow_file', 'file_id');
const FLOW_RUN = key('flow_run', 'run_id');
const FLOW_RUN_DEFINITION = key('flow_run_definition', 'definition_id');
const FLOW_RUN_CONTENT: OwnedKey = {
  table: 'flow_run_content',
  owner: 'owner_user_id',
  key: 'file_id',
  index: 'flow_run_content_of_owner',
};
const PHOTO: OwnedKey = { table: 'photo', owner: 'owner_user_id', key: 'photo_id', index: 'photo_of_owner' };

const KEYS = [
  SERVICE,
  REQUEST_FIELD,
  CONNECTION,
  SHARED_VALUE,
  DELEGATE,
  DOCUMENT,
  DOCUMENT_CONTENT,
  FLOW,
  FLOW_FILE,
  FLOW_RUN,
  FLOW_RUN_DEFINITION,
  FLOW_RUN_CONTENT,
  PHOTO,
];

/** The references of some tables, by a column that has the name of the key. */
const from = (to: OwnedKey, ...tables: string[]): OwnedReference[] => tables.map((table) => ({ table, column: to.key, to }));

/**
 * References between rows of companies carry the company: a row can name a service, a connection, a document or a run of its own company
 * only, whoever wrote the row. Most of the unique indexes replace one that was there with the same columns.
 *
 * It works on tables of any size while the region serves: see `putOwnersInKeys`.
 */
export class OwnersInKeys1763164800200 extends ForwardMigration {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await putOwnersInKeys(db, KEYS, [
      ...from(SERVICE, 'request_field', 'service_log', 'webhook', 'flow', 'flow_version', 'mail', 'recovery_copy'),
      ...from(SERVICE, 'connection', 'message', 'connect_request', 'twofa_enrolment', 'challenge', 'delegate_grant'),
      { table: 'photo', owner: 'owner_user_id', column: 'service_id', to: SERVICE },
      ...from(REQUEST_FIELD, 'shared_value', 'declined_field'),
      ...from(CONNECTION, 'shared_value', 'declined_field', 'message', 'twofa_enrolment', 'flow_link'),
      ...from(SHARED_VALUE, 'shared_file'),
      ...from(DELEGATE, 'delegate_grant'),
      ...from(DOCUMENT, 'document_content', 'document_signature'),
      ...from(DOCUMENT_CONTENT, 'document_piece'),
      ...from(FLOW, 'flow_version', 'flow_asset'),
      ...from(FLOW_FILE, 'flow_file_piece'),
      { table: 'flow_asset', column: 'file_id', to: FLOW_FILE, onDelete: 'no action' },
      { table: 'flow_run', column: 'definition_id', to: FLOW_RUN_DEFINITION, onDelete: 'no action' },
      ...from(FLOW_RUN, 'flow_run_party', 'flow_run_answer', 'flow_run_tag_values', 'flow_run_file', 'flow_run_input', 'flow_link'),
      { table: 'flow_run_piece', column: 'file_id', to: FLOW_RUN_CONTENT, onUpdate: 'cascade' },
      ...from(PHOTO, 'photo_piece'),
    ]);
  }
}
