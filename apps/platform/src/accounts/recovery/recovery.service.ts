import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, isAllowed, Refusal, type Callers, type Input, type Output, type recovery, type RecoveryAct } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { CLIENT_LOOKUP, type ClientLookup } from '../../access/clients/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { checkAccountKey, recoverySeal, RemotePasswordCheck, sealedCode } from '../../access/identity/index.ts';
import { newId } from '../../kit/ids.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { FrontDoorRequests, Home } from '../../foundation/regions/index.ts';
import { holdService } from '../../services/services/index.ts';
import { CurrentCopies, type RecoverySubject } from './current-copies.service.ts';
import { METRICS } from './metrics.ts';
import { findCopy, findKey, holdKey, listCopies, putCopy, putKey, readCopy, removeKey, type CopyRow } from './recovery-copies.store.ts';

type Keys = Input<typeof recovery.setRecoveryKey>['body'];
type NewCopy = Input<typeof recovery.storeRecoveryCopy>['body'];
type Copy = Output<typeof recovery.storeRecoveryCopy>;
type Proof = Input<typeof recovery.recoverSecret>['body'];

/**
 * Keeps the recovery key of a company and the copies of secrets that are sealed to it. Both are in the region of the company and move with
 * it. Whether a copy is given back is judged at the front door. @spec D1-5.1 @spec D1-5.9 @gap D1-5.1
 */
@Injectable()
export class Recovery {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
    private readonly current: CurrentCopies,
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores the key, once. The same call may be repeated when its answer was lost. */
  async setKey(company_user_id: string, keys: Keys): Promise<void> {
    await checkAccountKey(keys.public_key);
    const created_at = this.clock.now();
    await this.home.write(company_user_id, async (tx) => {
      const { is_own, is_new } = await putKey(tx, { company_user_id, ...keys, created_at });
      if (!is_own) throw new Refusal('account.recovery_key_exists');
      if (is_new) await this.audit.record(tx, { act: 'account.recovery_key_set', account_id: company_user_id, object: company_user_id });
    });
  }

  async readKey(company_user_id: string): Promise<{ public_key: string }> {
    const key = await findKey(this.db, company_user_id);
    if (!key) throw notFound();
    return key;
  }

  /** Stores a copy of the subject's present secret. The portal alone replaces one: a stolen client could make it useless. */
  async store(caller: Callers['account' | 'portal'], { kind, subject_id, value }: NewCopy): Promise<Copy> {
    const { company_user_id } = caller;
    const subject = await this.current.subjectOf(company_user_id, kind, subject_id);
    if (!subject) throw subjectNotFound();
    await this.checkMayStore(caller, subject);
    const { secret_id, service_id } = subject;
    const copy = { copy_id: newId('copy'), kind, subject_id, secret_id, created_at: this.clock.now() };
    await this.home.write(company_user_id, async (tx) => {
      if (service_id !== null) await holdServiceOf(tx, company_user_id, service_id);
      if (!(await holdKey(tx, company_user_id))) throw notFound();
      const isStored = await putCopy(tx, { ...copy, company_user_id, service_id, value }, { mayReplace: caller.kind === 'portal' });
      if (!isStored) throw new Refusal('account.recovery_copy_exists');
      await this.audit.record(tx, { act: 'account.recovery_copy_stored', account_id: company_user_id, object: copy.copy_id });
    });
    count(METRICS.copiesStored);
    return presentCopy(copy);
  }

  /**
   * Refuses an account client that could not have been given the secret. Otherwise a client with rights for sign-in apps alone could store
   * useless copies of the secrets of services. @spec D1-5.8
   */
  private async checkMayStore({ kind, client_id }: Callers['account' | 'portal'], { given_at }: RecoverySubject): Promise<void> {
    if (kind === 'portal') return;
    const patterns = (await this.clients.clientOf(client_id))?.patterns ?? [];
    if (given_at !== null && isAllowed(patterns, given_at)) return;
    throw new Refusal('auth.client_endpoint_forbidden').because(
      'An account client stores copies of secrets that its capability groups give it; others are stored at the portal',
    );
  }

  async list(company_user_id: string, { limit, cursor }: Input<typeof recovery.listRecoveryCopies>['query']) {
    const rows = await listCopies(this.db, company_user_id, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ created_at, copy_id }) => ({ at: created_at, id: copy_id }));
    return { items: (await this.current.among(company_user_id, items)).map(presentCopy), next_cursor };
  }

  /** Gives a copy back, sealed as it came, with the wrapped key that opens it. The copy is read again after the front door has judged. */
  async recover(company_user_id: string, copy_id: string, proof: Proof, address: string): Promise<Output<typeof recovery.recoverSecret>> {
    const copy = await findCopy(this.db, company_user_id, copy_id);
    if (!copy || (await this.current.among(company_user_id, [copy])).length === 0) throw notFound();
    await this.judge(company_user_id, { act: 'recover', object: copy_id }, proof, address);
    const found = await readCopy(this.db, company_user_id, copy_id);
    if (!found) {
      await this.home.check(company_user_id); // the company may have moved meanwhile
      throw notFound();
    }
    count(METRICS.secretsRecovered);
    return found;
  }

  /**
   * Deletes the key and every copy, for a company that cannot open them any more. A company that is moving is refused before the front door
   * mails its owner. A crash after the mail is mended by the same call; the audit of the region says that the key is gone.
   */
  async reset(company_user_id: string, proof: Proof, address: string): Promise<void> {
    await this.home.write(company_user_id, async (tx) => {
      if (!(await holdKey(tx, company_user_id))) throw notFound();
    });
    await this.judge(company_user_id, { act: 'reset', object: company_user_id }, proof, address);
    await this.home.write(company_user_id, async (tx) => {
      if (!(await removeKey(tx, company_user_id))) return;
      await this.audit.record(tx, { act: 'account.recovery_key_deleted', account_id: company_user_id, object: company_user_id });
    });
    count(METRICS.resets);
  }

  /** Has the front door check the password and the mailed code. The password is sealed to one process of it, for this act alone. */
  private async judge(
    user_id: string,
    { act, object }: { act: RecoveryAct; object: string },
    { password, code, second_factor_code }: Proof,
    address: string,
  ): Promise<void> {
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(recoverySeal(user_id, act, object), password);
    const codes = { code, ...sealedCode(seal, user_id, second_factor_code) };
    await this.frontDoor.request(FRONT_DOOR.judgeRecovery, { replica }, { user_id, address, sealed, ...codes, act, object });
  }
}

/** Holds the service that a copy goes with. One that is being deleted is not found. */
const holdServiceOf = (tx: EntityManager, company_user_id: string, service_id: string) =>
  holdService(tx, { company_user_id, service_id }).catch((error: unknown) => {
    throw error instanceof Refusal && error.key === 'services.not_found' ? subjectNotFound() : error;
  });

const presentCopy = ({ copy_id: id, kind, subject_id, created_at }: CopyRow): Copy => ({
  id,
  kind,
  subject_id,
  created_at: created_at.toISOString(),
});

const notFound = () => new Refusal('account.recovery_not_found');
const subjectNotFound = () => new Refusal('account.recovery_subject_not_found');
