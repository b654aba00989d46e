import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The plugins that claims of sign-in apps use. The apps are at the front door, the plugins in the region of the company. @spec D1-2.11 */
export class ClaimPlugins1763164800098 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // check_at: when a worker asks the front door whether the app has this revision; null once the front door has said so.
    await db.query(`
      create table claim_plugin (
        claim_plugin_id  text primary key,
        company_user_id  text not null references profile on delete cascade,
        app_id           text not null,
        revision         text not null,
        plugin_id        text not null,
        app_name         text not null,
        label            text not null,
        noted_at         timestamptz not null,
        check_at         timestamptz
      )`);
    await db.query(`create index claim_plugin_of_company on claim_plugin (company_user_id, plugin_id)`);
    await db.query(`create index claim_plugin_of_app on claim_plugin (app_id)`);
    await db.query(`create index claim_plugin_to_check on claim_plugin (check_at)`);
  }
}
