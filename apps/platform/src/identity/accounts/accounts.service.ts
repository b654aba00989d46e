import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@cds/contracts';
import { Answers } from '@cds/runtime/bus';
import type { Homes } from '../../regions/index.ts';
import { apiUrlOf, BASES, type Bases } from '../../regions/index.ts';
import { AccountsStore, type AccountRow } from './accounts.store.ts';

const QUEUE = { queue: 'front-door' };

/** Answers the regions about accounts. */
@Injectable()
export class Accounts implements Homes {
  constructor(
    private readonly store: AccountsStore,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  /** At the front door nobody is at home, and everybody is served. */
  async check(): Promise<void> {}

  async regionOf(user_id: string): Promise<string | undefined> {
    return (await this.store.find(user_id))?.region;
  }

  @Answers(FRONT_DOOR.accountOf, QUEUE)
  async accountOf({ user_id }: { user_id: string }) {
    const account = await this.store.find(user_id);
    if (!account) throw new Refusal('auth.token_invalid');
    return this.told(account);
  }

  @Answers(FRONT_DOOR.homeOf, QUEUE)
  async homeOf({ user_id }: { user_id: string }) {
    return { region: (await this.regionOf(user_id)) ?? null };
  }

  @Answers(FRONT_DOOR.homesOf, QUEUE)
  async homesOf({ user_ids }: { user_ids: string[] }) {
    return { regions: await this.store.regionsOf(user_ids) };
  }

  @Answers(FRONT_DOOR.whoHas, QUEUE)
  async whoHas({ share_code }: { share_code: string }) {
    const found = await this.store.findByShareCode(share_code);
    if (!found?.public_key) throw new Refusal('keys.not_found');
    const { user_id, type, region, public_key } = found;
    return { user_id, type, region, public_key };
  }

  @Answers(FRONT_DOOR.passwordHash, QUEUE)
  async passwordHash({ user_id }: { user_id: string }) {
    return { password_hash: (await this.store.find(user_id))?.password_hash ?? null };
  }

  /** An account as its owner reads it. */
  told({ user_id, type, email, level, region, created_at }: AccountRow) {
    return { user_id, type, email, level, region, api_url: apiUrlOf(this.bases, region)!, created_at: created_at.toISOString() };
  }
}
