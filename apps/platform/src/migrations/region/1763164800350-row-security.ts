import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The tables whose rows belong to the company in `company_user_id` and move with it. */
const TABLES = [
  // what a company sets up, and what it is informed of
  'service',
  'request_field',
  'service_log',
  'mail',
  'webhook',
  'flow',
  'flow_version',
  'flow_file',
  'flow_file_piece',
  'flow_asset',
  'plugin',
  'claim_plugin',
  'feed_event',
  'feed_lease',
  'recovery_key',
  'recovery_copy',
  'delegate',
  'delegate_grant',
  // what it has with its customers
  'connection',
  'shared_value',
  'shared_file',
  'declined_field',
  'message',
  'connect_request',
  'twofa_enrolment',
  'challenge',
  'document',
  'document_signature',
  'document_content',
  'document_piece',
  'flow_run_definition',
  'flow_run',
  'flow_run_party',
  'flow_run_answer',
  'flow_run_tag_values',
  'flow_run_file',
  'flow_run_input',
  'flow_link',
];

/**
 * Row security: a connection that says for which company it works sees and writes the rows of that company alone. `*` is work for every
 * company, and an empty setting is work for nobody. A connection that says nothing is a program of the release before, which runs on this
 * schema while a release is rolled out or rolled back, or a tool of an operator: for it, the rows are as before.
 *
 * The policies call a function, and one that the server does not take apart: the same condition written in each policy is prepared anew for
 * each table of each execution, which made turns of runs slower by a tenth of the server's CPU.
 *
 * A policy of a table changes nothing before row security is enabled, and both need the table for a moment only, one after the other:
 * therefore no transaction. It may be repeated.
 */
export class RowSecurity1763164800350 extends ForwardMigration {
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create or replace function works_for(company_user_id text) returns boolean
       language plpgsql stable parallel safe cost 1 as $$
      begin
        return coalesce(current_setting('codase.company', true), '*') in ('*', company_user_id);
      end $$`);
    for (const table of TABLES) {
      await db.query(`drop policy if exists own_company on ${table}`);
      await db.query(`create policy own_company on ${table} using (works_for(company_user_id))`);
      await db.query(`alter table ${table} enable row level security`);
    }
  }
}
