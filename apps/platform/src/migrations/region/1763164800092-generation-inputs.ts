import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** PDFs of participants that wait for the generation of their run's documents, encrypted under its one-time key. @spec D2-4.3 */
export class GenerationInputs1763164800092 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // user_id: the user who generates. Uploading a source again replaces the input before. chars: the length of its base64.
    await db.query(`
      create table flow_run_input (
        input_id         text primary key,
        company_user_id  text not null references profile on delete cascade,
        run_id           text not null references flow_run on delete cascade,
        user_id          text not null,
        source_key       text not null,
        chars            integer not null,
        created_at       timestamptz not null,
        unique (run_id, user_id, source_key)
      )`);
    await db.query(`create index flow_run_input_of_company on flow_run_input (company_user_id, input_id)`);
    await db.query(`create index flow_run_input_waiting on flow_run_input (created_at)`);

    // Inputs are deleted in many ways, some of them by cascade. The trigger deletes the content in all of them.
    await db.query(`
      create function delete_content_of_input() returns trigger language plpgsql as $$
      begin
        delete from flow_run_content where file_id = old.input_id;
        return null;
      end $$`);
    await db.query(`
      create trigger flow_run_input_content after delete on flow_run_input
        for each row execute function delete_content_of_input()`);
  }
}
