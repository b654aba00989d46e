import { Controller } from '@nestjs/common';
import { account, FRONT_DOOR, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { RemotePasswordCheck } from '../../../access/identity/index.ts';
import { Audit } from '../../../foundation/audit/index.ts';
import { FrontDoorRequests, Home, ProfilesStore, type ProfileRow } from '../../../foundation/regions/index.ts';
import { userOf } from '../../../access/tokens/index.ts';
import { Profiles } from './profiles.service.ts';

/** The account behind the token, what others see of it, and for the portal its key pair, without passphrase. @spec D1-4.6 @spec D1-5.8 */
@Controller()
export class AccountHttp {
  constructor(
    private readonly profiles: Profiles,
    private readonly store: ProfilesStore,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
    private readonly audit: Audit,
  ) {}

  @Serves(account.readAccount)
  readAccount(_: Input<typeof account.readAccount>, caller: Caller<typeof account.readAccount>) {
    return this.frontDoor.request(FRONT_DOOR.accountOf, {}, { user_id: userOf(caller) });
  }

  @Serves(account.readProfile)
  readProfile(_: Input<typeof account.readProfile>, caller: Caller<typeof account.readProfile>) {
    return this.profiles.of(userOf(caller));
  }

  @Serves(account.changeProfile)
  async changeProfile({ body }: Input<typeof account.changeProfile>, caller: Caller<typeof account.changeProfile>) {
    const user_id = userOf(caller);
    return (await this.home.write(user_id, (tx) => this.store.rename(tx, user_id, body)))!;
  }

  @Serves(account.readAccountKeys, account.downloadAccountKey)
  async readKeys(_: Input<typeof account.readAccountKeys>, { company_user_id }: Caller<typeof account.readAccountKeys>) {
    return keysOf(await this.profiles.of(company_user_id));
  }

  /** Stores the private key in a new wrap, for the password. Only the owner can know whether it is still the same key. */
  @Serves(account.rewrapAccountKey)
  async rewrapKey(
    { body }: Input<typeof account.rewrapAccountKey>,
    { company_user_id }: Caller<typeof account.rewrapAccountKey>,
    { address }: Call,
  ) {
    await this.passwords.check(company_user_id, body, address);
    const profile = await this.home.write(company_user_id, async (tx) => {
      await this.audit.record(tx, { act: 'key.rewrapped', account_id: company_user_id, object: company_user_id });
      return this.store.rewrap(tx, company_user_id, body.encrypted_private_key);
    });
    return keysOf(profile!);
  }
}

/** Returns the keys of an account. A demo company from before accounts had keys here has none; provisioning a fresh stack gives it one. */
function keysOf({ public_key, encrypted_private_key }: ProfileRow) {
  if (!encrypted_private_key) throw new Refusal('service.unavailable').because('This account has no stored key: provision it anew');
  return { public_key, encrypted_private_key };
}
