import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The plugins of companies, and the calls of the last minute. @spec D1-2.11 @spec D2-8 */
export class Plugins1763164800065 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // The description is what the plugin said of itself the last time it was asked; without one its fields do not respond.
    await db.query(`
      create table plugin (
        plugin_id        text primary key,
        company_user_id  text not null references profile on delete cascade,
        base_url         text,
        builtin_key      text,
        sealed_secrets   text not null,
        description      jsonb,
        last_refresh     timestamptz,
        last_error       text,
        created_at       timestamptz not null,
        unique (company_user_id, base_url),
        unique (company_user_id, builtin_key),
        check ((base_url is null) <> (builtin_key is null)),
        check ((description is null) = (last_refresh is null))
      )`);
    // Unlogged: a lost call costs nothing, since after a crash the window begins again.
    await db.query(`
      create unlogged table plugin_call (
        call_id    text primary key,
        plugin_id  text not null references plugin on delete cascade,
        began_at   timestamptz not null,
        ended_at   timestamptz
      )`);
    await db.query(`create index plugin_call_of_plugin on plugin_call (plugin_id, began_at)`);
  }
}
