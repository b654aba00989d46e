import { Controller } from '@nestjs/common';
import { account, FRONT_DOOR, Refusal, type Caller, type Input } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { Serves } from '@cds/runtime/http';
import { passwordMatches } from '../identity/index.ts';

type Contract = typeof account.migrateRegion;

/** A company at the portal asks to live in another region. @gap D1-5.6 */
@Controller()
export class MigrateRegionHttp {
  constructor(private readonly bus: Bus) {}

  /** The password is asked for once more, and checked here: it does not travel on the bus. */
  @Serves(account.migrateRegion)
  async migrate({ body: { password, region } }: Input<Contract>, { company_user_id: user_id }: Caller<Contract>) {
    const { password_hash } = await this.bus.request(FRONT_DOOR.passwordHash, {}, { user_id });
    if (!(await passwordMatches(password, password_hash))) throw new Refusal('account.password_wrong');
    return this.bus.request(FRONT_DOOR.beginMove, {}, { user_id, to: region });
  }
}
