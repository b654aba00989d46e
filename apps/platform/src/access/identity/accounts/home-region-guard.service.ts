import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import type { BusContext } from '@codase/runtime/nest-bus';
import { apiUrlOf, BASES, type Bases } from '../../../foundation/regions/index.ts';
import { AccountsStore } from './accounts.store.ts';

interface AboutAccount {
  user_id?: string;
  company_user_id?: string;
}

/**
 * Lets a region ask the front door only about accounts whose home it is. An attacker in one region can then neither register a client for a
 * company of another region nor try passwords of its users. For an account that has moved, the refusal names its new home. @gap D1-5.6
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

  /** Does not refuse an account that does not exist: the handler does so in its own words. */
  private async check(user_id: string, region: string): Promise<void> {
    const home = (await this.accounts.find(user_id))?.region;
    if (home === undefined || home === region) return;
    const api_url = apiUrlOf(this.bases, home);
    throw api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('service.unavailable');
  }
}
