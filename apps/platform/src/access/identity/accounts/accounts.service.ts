import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { apiUrlOf, BASES, type Bases, type Homes } from '../../../foundation/regions/index.ts';
import { AccountsStore, type AccountRow } from './accounts.store.ts';

/** The accounts of people and companies, as regions and the front door ask for them. */
@Injectable()
export class Accounts implements Homes {
  constructor(
    private readonly store: AccountsStore,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  /** Does nothing: the front door is no home region, so it serves every user. */
  async check(): Promise<void> {}

  async regionOf(user_id: string): Promise<string | undefined> {
    return (await this.store.find(user_id))?.region;
  }

  async accountOf(user_id: string) {
    const account = await this.store.find(user_id);
    if (!account) throw new Refusal('auth.token_invalid');
    return this.present(account);
  }

  /** Returns the home regions of the users, each region once. An unknown user adds none. */
  regionsOf(user_ids: readonly string[]): Promise<string[]> {
    return this.store.regionsOf(user_ids);
  }

  async whoHas(share_code: string) {
    const found = await this.store.findByShareCode(share_code);
    if (!found?.public_key) throw new Refusal('keys.not_found');
    const { user_id, type, region, public_key } = found;
    return { user_id, type, region, public_key };
  }

  /** Lists companies of a region whose level no longer includes contract flows. @spec D2-8 */
  async listLapsed(region: string, after: string, limit: number) {
    const rows = await this.store.listLapsed(region, after, limit);
    return rows.map(({ user_id, without_flows_since, free_since }) => ({
      user_id,
      without_flows_since: without_flows_since.toISOString(),
      free_since: free_since?.toISOString() ?? null,
    }));
  }

  /** An account as its owner reads it. */
  present({ user_id, type, email, level, region, created_at }: AccountRow) {
    return { user_id, type, email, level, region, api_url: apiUrlOf(this.bases, region)!, created_at: created_at.toISOString() };
  }
}
