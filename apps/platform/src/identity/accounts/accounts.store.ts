import { Inject, Injectable } from '@nestjs/common';
import type { Level } from '@cds/contracts';
import { many, one, sql, type Db } from '@cds/runtime/db';
import { FRONT_DOOR_DB } from '../../databases.ts';

/** An account as the front door keeps it. */
export interface AccountRow {
  user_id: string;
  type: 'person' | 'company';
  email: string;
  password_hash: string | null;
  share_code: string | null;
  public_key: string | null;
  level: Level;
  region: string;
  created_at: Date;
}

/** Who exists, where they live and how they sign in. */
@Injectable()
export class AccountsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  find(user_id: string, db: Db = this.db): Promise<AccountRow | undefined> {
    return one<AccountRow>(db, sql`select * from account where user_id = ${user_id}`);
  }

  /** Addresses are kept in lower case. */
  findByEmail(email: string): Promise<AccountRow | undefined> {
    return one<AccountRow>(this.db, sql`select * from account where email = ${email.toLowerCase()}`);
  }

  /** Each once. */
  async regionsOf(user_ids: readonly string[]): Promise<string[]> {
    const found = await many<{ region: string }>(
      this.db,
      sql`select distinct region from account where user_id = any(${user_ids}::text[])`,
    );
    return found.map(({ region }) => region);
  }

  findByShareCode(share_code: string): Promise<AccountRow | undefined> {
    return one<AccountRow>(this.db, sql`select * from account where share_code = ${share_code}`);
  }
}
