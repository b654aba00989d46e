import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import type { BusContext } from '@cds/runtime/nest-bus';
import { apiUrlOf, BASES, type Bases } from '../../regions/index.ts';
import { AccountsStore } from './accounts.store.ts';

interface AboutAccount {
  user_id?: string;
  company_user_id?: string;
}

/**
 * A region may ask the front door about accounts at home in it: whoever has broken into one registers no client for a company of another,
 * and tries no password of its users. An account that moved meanwhile is answered with where it is now. @gap D1-5.6
 */
@Injectable()
export class HomeRegionGuard implements CanActivate {
  constructor(
    private readonly accounts: AccountsStore,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const rpc = context.switchToRpc();
    const { user_id, company_user_id } = rpc.getData<AboutAccount>();
    const { region } = rpc.getContext<BusContext>().values as { region: string };
    for (const id of [user_id, company_user_id]) if (id !== undefined) await this.check(id, region);
    return true;
  }

  /** Of an account that does not exist nothing is refused here: the handler says so in its own words. */
  private async check(user_id: string, region: string): Promise<void> {
    const home = (await this.accounts.find(user_id))?.region;
    if (home === undefined || home === region) return;
    const api_url = apiUrlOf(this.bases, home);
    throw api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('service.unavailable');
  }
}
