import { Controller } from '@nestjs/common';
import { account, Refusal, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import { Audit } from '../../../foundation/audit/index.ts';
import { Home, ProfilesStore, type ProfileRow } from '../../../foundation/regions/index.ts';
import { RemotePasswordCheck } from '../../../access/identity/index.ts';
import { Profiles } from './profiles.service.ts';

/** The key pair of a company's account, for the portal alone. The platform never gets the passphrase. @spec D1-4.6 @spec D1-5.8 */
@Controller()
export class AccountKeysHttp {
  constructor(
    private readonly profiles: Profiles,
    private readonly store: ProfilesStore,
    private readonly home: Home,
    private readonly passwords: RemotePasswordCheck,
    private readonly audit: Audit,
  ) {}

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
    await this.passwords.check(company_user_id, body.password, address);
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
