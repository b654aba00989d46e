import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Contract flows of services: the drafts of their authors, and the versions that runs are pinned to. @spec D2-1 @spec D2-9 */
export class Flows1763164800060 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // Drafts and definitions are JSON stored as text: no statement reads their members, and a draft may hold anything.
    await db.query(`
      create table flow (
        flow_id            text primary key,
        company_user_id    text not null references profile on delete cascade,
        service_id         text not null references service on delete cascade,
        name               text not null,
        draft              text not null,
        draft_version      integer not null default 1,
        draft_plugins      text[] not null default '{}',
        published_version  integer,
        created_at         timestamptz not null,
        updated_at         timestamptz not null
      )`);
    await db.query(`create index flow_of_company on flow (company_user_id, created_at, flow_id)`);
    await db.query(`create index flow_of_service on flow (service_id, created_at, flow_id)`);

    // A version is never changed. Its digest says whether a draft differs from it.
    await db.query(`
      create table flow_version (
        flow_version_id  text primary key,
        company_user_id  text not null references profile on delete cascade,
        service_id       text not null references service on delete cascade,
        flow_id          text not null references flow on delete cascade,
        version          integer not null,
        definition       text not null,
        plugins          text[] not null,
        digest           text not null,
        published_at     timestamptz not null,
        unique (flow_id, version)
      )`);
    await db.query(`create index flow_version_of_company on flow_version (company_user_id, flow_version_id)`);
    await db.query(`create index flow_version_of_service on flow_version (service_id)`);
  }
}
