import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Links by which customers have answered a file field of a flow with a field of their profile: which field it is, and the run that holds
 * the copy of that moment.
 */
export class FlowLinks1763164800082 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table flow_link (
        link_id          text primary key,
        company_user_id  text not null references profile on delete cascade,
        connection_id    text not null references connection on delete cascade,
        flow_id          text not null,
        slug             text not null,
        type             text not null,
        source_field     text not null,
        run_id           text not null references flow_run on delete cascade,
        linked_at        timestamptz not null,
        unique (connection_id, flow_id, slug)
      )`);
    await db.query(`create index flow_link_of_company on flow_link (company_user_id, link_id)`);
    await db.query(`create index flow_link_of_run on flow_link (run_id)`);
  }
}
