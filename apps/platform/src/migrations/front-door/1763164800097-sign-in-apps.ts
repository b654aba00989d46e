import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** Sign-in apps: clients of a kind of their own, with what they ask for. @spec D1-4.6 */
export class SignInApps1763164800097 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table client
        drop constraint client_kind_check,
        drop constraint client_check1,
        add constraint client_kind_check check (kind in ('service', 'account', 'app', 'portal', 'person')),
        add constraint client_company_check check ((kind in ('service', 'account', 'app')) = (company_user_id is not null))`);
    // revision: another one for each change of the claims. The company's region notes by it which plugins the claims use.
    await db.query(`
      create table sign_in_app (
        client_id        text primary key references client on delete cascade,
        claims_delivery  text not null check (claims_delivery in ('encrypted', 'plaintext')),
        claims           jsonb not null,
        revision         text not null
      )`);
  }
}
