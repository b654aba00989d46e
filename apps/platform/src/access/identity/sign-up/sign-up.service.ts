import { Inject, Injectable } from '@nestjs/common';
import { Refusal, REGION, SIGN_UP_HOURS, type identity, type Input, type NewProfile, type Output } from '@codase/contracts';
import { equalSecrets, randomCode } from '@codase/crypto';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { addressKey } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_DB } from '../../../kit/databases.ts';
import { Audit } from '../../../foundation/audit/index.ts';
import {
  AccountMailStore,
  hashMailedCode,
  MAX_WRONG_CODES,
  newMailedCode,
  tooManyMails,
  type AccountMail,
} from '../../account-mail/index.ts';
import { checkAccountKey } from '../accounts/account-key.ts';
import { Accounts } from '../accounts/accounts.service.ts';
import { AccountsStore, type AccountRow } from '../accounts/accounts.store.ts';
import { apiUrlOf, BASES, Modes, type Bases } from '../../../foundation/regions/index.ts';
import { NewPasswords } from '../passwords/new-passwords.service.ts';
import { newId } from '../../../kit/ids.ts';
import { ACCOUNT_TAKEN_BACK, type AccountTakenBack } from './account-taken-back.hook.ts';
import { SignUpStore, type PendingProfile } from './sign-up.store.ts';

type NewAccount = Input<typeof identity.signUp>['body'];
type WantedAccount = Omit<NewAccount, 'password'>;

const SHARE_CODE = { length: 8, alphabet: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789' };
/** The number of share codes that are tried before giving up. With 36^8 codes a second try is already rare. */
const SHARE_CODE_TRIES = 5;

/**
 * How many mails with codes sign-ups cause in a day. One source, which is an IPv4 address or the /64 network of an IPv6 address, causes at
 * most `by_source` to one e-mail address. The first of each source is always sent, so that strangers cannot use up the share of the owner;
 * further ones only until all sources together have caused `to_address`. @gap D1-5
 */
const MAX_MAILS = { by_source: 5, to_address: 20 } as const;
/** How many sign-ups of one source wait for their codes at once. @gap D1-5 */
const MAX_WAITING = 200;
const DAY_MS = 86_400_000;

/** Creates accounts. The front door stores the account, the chosen region stores everything else. @gap D1-5 */
@Injectable()
export class SignUpService {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly mails: AccountMailStore,
    private readonly store: SignUpStore,
    private readonly accountsStore: AccountsStore,
    private readonly accounts: Accounts,
    private readonly modes: Modes,
    private readonly bus: Bus,
    private readonly audit: Audit,
    @Inject(BASES) private readonly bases: Bases,
    private readonly passwords: NewPasswords,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ACCOUNT_TAKEN_BACK) private readonly takenBack: readonly AccountTakenBack[],
  ) {}

  /** Stores a sign-up and mails a code. Only the mail says whether the address has an account already. @gap D1-5 */
  async begin(wanted: NewAccount, address: string): Promise<Output<typeof identity.signUp>> {
    const { password, ...rest } = { ...wanted, email: wanted.email.toLowerCase() };
    this.checkRegion(rest.region);
    await this.passwords.check(password, rest.email, 'password');
    await checkAccountKey(rest.public_key);
    const password_hash = await this.passwords.hash(password, `sign-up ${addressKey(address)}`);
    return this.remember(rest, password_hash, addressKey(address));
  }

  /** Creates the account when the code is the one that was mailed. A call that fails for another reason than the code can be repeated. */
  async confirm(sign_up_id: string, code: string): Promise<Output<typeof identity.confirmSignUp>> {
    const pending = await this.store.attempt<WantedAccount>(sign_up_id, MAX_WRONG_CODES, this.clock.now());
    if (!pending || !(await equalSecrets(hashMailedCode(sign_up_id, code), pending.code_hash))) throw new Refusal('account.code_invalid');
    try {
      this.checkRegion(pending.wanted.region);
      const account = await this.add(pending.wanted, pending.password_hash);
      await this.store.end(sign_up_id);
      return this.accounts.present(account);
    } catch (error) {
      await this.store.uncount(sign_up_id);
      throw error;
    }
  }

  /**
   * Stores the sign-up and its mail. What is refused depends on earlier sign-ups alone, and never on whether there is an account. A sign-up
   * that gets no mail changes nothing: the code that was mailed last still confirms what it was mailed for.
   */
  private async remember(wanted: WantedAccount, password_hash: string, source: string): Promise<Output<typeof identity.signUp>> {
    const created_at = this.clock.now();
    const expires_at = new Date(created_at.getTime() + SIGN_UP_HOURS * 3_600_000);
    const [sign_up_id, code] = [newId('sup'), newMailedCode()];
    const { email } = wanted;
    const isTaken = (await this.accountsStore.findByEmail(email)) !== undefined;
    // For an address that is taken, this is the hash of a random code that nobody knows.
    const code_hash = hashMailedCode(sign_up_id, isTaken ? newId('code') : code);
    const mail: AccountMail = isTaken ? { kind: 'sign_up_repeated', facts: {} } : { kind: 'confirm_sign_up', facts: { sign_up_id, code } };
    const since = new Date(created_at.getTime() - DAY_MS);
    await this.db.transaction(async (tx) => {
      refuseTooMany(await this.store.count(tx, { email, source, since }));
      const mail_id = await this.mails.write(tx, email, mail, created_at, expires_at);
      const pending = { sign_up_id, email, code_hash, password_hash, wanted, created_at, expires_at, source, mail_id };
      const replaced = await this.store.begin(tx, pending, since);
      if (replaced !== undefined) await this.mails.deleteAll(tx, [replaced]);
    });
    return { sign_up_id, confirm_by: expires_at.toISOString() };
  }

  /** Hands a profile to its region, which may have it already. */
  async handOver(pending: PendingProfile): Promise<void> {
    await this.offer(pending);
    await this.finish(pending.profile.user_id);
  }

  /** Records that the profile is handed over. From then on the account is complete, and nothing takes it back. */
  private async finish(user_id: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await this.store.handedOver(user_id, tx))) return;
      await this.audit.record(tx, { act: 'account.created', account_id: user_id, object: user_id, initiator: user_id });
    });
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

  /** Adds the account and hands its profile to the region. Without it the account is removed again: the call can be repeated. */
  private async add(wanted: WantedAccount, password_hash: string): Promise<AccountRow> {
    const account = await this.insert(wanted, password_hash);
    try {
      await this.offer({ region: account.region, profile: profileOf(account, wanted) });
    } catch (error) {
      await this.takeBack(account.user_id);
      throw error;
    }
    await this.finish(account.user_id);
    return account;
  }

  /** Removes an account again. The region may be adding the profile at this moment, so the hook has the profile deleted there. */
  private takeBack(user_id: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      if (!(await this.store.takeBack(user_id, tx))) return;
      for (const hook of this.takenBack) await hook.accountTakenBack(tx, user_id, this.clock.now());
    });
  }

  private async insert(wanted: WantedAccount, password_hash: string): Promise<AccountRow> {
    const { type, email, public_key, region } = wanted;
    const fresh = { user_id: newId('usr'), level: 'free', created_at: this.clock.now(), disabled_at: null } as const;
    for (let tries = 0; tries < SHARE_CODE_TRIES; tries++) {
      const share_code = randomCode(SHARE_CODE.length, SHARE_CODE.alphabet);
      const account = { ...fresh, type, email, password_hash, public_key, region, share_code };
      if (await this.store.add(account, profileOf(account, wanted))) return account;
      await this.checkFree(email); // refuses when another sign-up has taken the address; otherwise the share code was taken
    }
    throw new Refusal('service.unavailable');
  }
}

function refuseTooMany({ own, all, others }: { own: number; all: number; others: number }): void {
  if (own >= MAX_MAILS.by_source || (own > 0 && all >= MAX_MAILS.to_address)) throw tooManyMails(own);
  if (others >= MAX_WAITING)
    throw new Refusal('rate_limit.exceeded')
      .because(`${MAX_WAITING} sign-ups from this network wait for their codes: confirm one, or come again tomorrow`)
      .after(3600);
}

function profileOf({ user_id, share_code, created_at }: AccountRow, wanted: WantedAccount): NewProfile {
  const { type, display_name, language, public_key, encrypted_private_key } = wanted;
  const card = { type, display_name, language, share_code: share_code! };
  return { user_id, ...card, public_key, encrypted_private_key, created_at: created_at.toISOString() };
}
