import { Inject, Injectable } from '@nestjs/common';
import { PUBLIC_KEY_FORM, Refusal, REGION, type identity, type Input, type NewProfile, type Output } from '@cds/contracts';
import { CryptoRefusal, randomCode, readPublicKey } from '@cds/crypto';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { Accounts } from '../accounts/accounts.service.ts';
import { AccountsStore, type AccountRow } from '../accounts/accounts.store.ts';
import { apiUrlOf, BASES, Modes, type Bases } from '../../regions/index.ts';
import { HASH_COST } from '../passwords/hash-cost.ts';
import { inHashingTurn } from '../passwords/hashing-turns.ts';
import { hashPassword, type HashCost } from '../passwords/password.ts';
import { newId } from '../../ids.ts';
import { SignUpStore, type PendingProfile } from './sign-up.store.ts';
import { isWeakPassword } from './weak-password.ts';

type NewAccount = Input<typeof identity.signUp>['body'];

const SHARE_CODE = { length: 8, alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789' };
/** Codes tried before giving up; with 36^8 of them a second try is already rare. */
const SHARE_CODE_TRIES = 5;

/** Creates accounts: the front door keeps who exists, the chosen region everything else. @gap D1-5 */
@Injectable()
export class SignUpService {
  constructor(
    private readonly store: SignUpStore,
    private readonly accountsStore: AccountsStore,
    private readonly accounts: Accounts,
    private readonly modes: Modes,
    private readonly bus: Bus,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HASH_COST) private readonly hashCost: HashCost,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async signUp(wanted: NewAccount): Promise<Output<typeof identity.signUp>> {
    const email = wanted.email.toLowerCase();
    this.checkRegion(wanted.region);
    if (isWeakPassword(wanted.password, email))
      throw new Refusal('account.password_weak').because('password: is a known one, or made of your address: choose another');
    await checkPublicKey(wanted.public_key);
    await this.checkFree(email);

    const account = await this.add({ ...wanted, email });
    return this.accounts.present(account);
  }

  /** Hands a profile to its region, which may have it already. */
  async handOver(pending: PendingProfile): Promise<void> {
    await this.offer(pending);
    await this.store.handedOver(pending.profile.user_id);
  }

  private async offer({ region, profile }: PendingProfile): Promise<void> {
    await this.bus.request(REGION.addProfile, { region }, profile);
  }

  private checkRegion(region: string): void {
    if (!apiUrlOf(this.bases, region))
      throw new Refusal('account.region_unknown').because('region: there is none of this name; GET /api/regions lists them');
    this.modes.checkWritable(region);
  }

  private async checkFree(email: string): Promise<void> {
    if (await this.accountsStore.findByEmail(email))
      throw new Refusal('account.email_taken').because('email: there is already an account with it; sign in instead');
  }

  /** Where the region does not take the profile, there was no sign-up: the same call can be repeated. */
  private async add({ password, ...wanted }: NewAccount): Promise<AccountRow> {
    const password_hash = await inHashingTurn(wanted.email, () => hashPassword(password, this.hashCost));
    const account = await this.insert(wanted, password_hash);
    try {
      await this.offer({ region: account.region, profile: profileOf(account, wanted) });
    } catch (error) {
      await this.store.takeBack(account.user_id);
      throw error;
    }
    await this.store.handedOver(account.user_id);
    return account;
  }

  private async insert(wanted: Omit<NewAccount, 'password'>, password_hash: string): Promise<AccountRow> {
    const { type, email, public_key, region } = wanted;
    const fresh = { user_id: newId('usr'), level: 'free', created_at: this.clock.now(), disabled_at: null } as const;
    for (let tries = 0; tries < SHARE_CODE_TRIES; tries++) {
      const share_code = randomCode(SHARE_CODE.length, SHARE_CODE.alphabet);
      const account = { ...fresh, type, email, password_hash, public_key, region, share_code };
      if (await this.store.add(account, profileOf(account, wanted))) return account;
      await this.checkFree(email); // somebody was quicker; otherwise it was the code
    }
    throw new Refusal('service.unavailable');
  }
}

function profileOf({ user_id, share_code, created_at }: AccountRow, wanted: Omit<NewAccount, 'password'>): NewProfile {
  const { type, display_name, language, public_key, encrypted_private_key } = wanted;
  const card = { type, display_name, language, share_code: share_code! };
  return { user_id, ...card, public_key, encrypted_private_key, created_at: created_at.toISOString() };
}

/** A real RSA-2048 key, to the bit. @spec D1-2.4 */
async function checkPublicKey(public_key: string): Promise<void> {
  await readPublicKey(public_key).catch((error: unknown) => {
    throw error instanceof CryptoRefusal ? new Refusal('account.key_invalid').because(`public_key: ${PUBLIC_KEY_FORM}`) : error;
  });
}
