import { Inject, Injectable } from '@nestjs/common';
import {
  DELEGATES,
  DELEGATION_SUBJECTS,
  FRONT_DOOR,
  Refusal,
  type delegates as contracts,
  type Output,
  type Sealed,
} from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import { Peers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { pageOf, type Page, type Slice } from '../../kit/paging.ts';
import { FrontDoorRequests, holdAccount, Home } from '../../foundation/regions/index.ts';
import { holdService, writeLog } from '../../services/services/index.ts';
import { DelegateNames } from './delegate-names.service.ts';
import { addDelegate, countDelegates, listDelegates, lockAdding, lockDelegate, removeDelegate } from './delegates.store.ts';
import { phoneEvents } from './events.ts';
import { countGrants, listGrants, putGrant, removeGrant } from './grants.store.ts';
import { METRICS } from './metrics.ts';
import type { DelegateEntity, DelegateGrantEntity } from './delegate.entity.ts';
import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries for grants of a service. @gap D1-4.7 */
export const LOG_KINDS = logKinds('delegate_granted', 'delegate_revoked');

type Delegate = Output<typeof contracts.addDelegate>;

/** A service of a company, and the delegate that it is granted to. */
type Granted = Pick<DelegateGrantEntity, 'company_user_id' | 'delegate_id' | 'service_id'>;

/** A change by the company. Its object is a delegate or a grant. */
interface Change {
  act: 'delegate.added' | 'delegate.removed' | 'delegate.granted' | 'delegate.key_withdrawn' | 'delegate.revoked';
  object: string;
  details?: { service_id: string; reason?: string };
}

/** Lets a company manage its delegates. They live with the company. @spec D1-5.8 @gap D1-5.8 */
@Injectable()
export class Delegates {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    private readonly peers: Peers,
    private readonly names: DelegateNames,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(company_user_id: string, slice: Slice): Promise<Page<Delegate>> {
    const rows = await listDelegates(this.db, company_user_id, slice);
    const { items, next_cursor } = pageOf(rows, slice.limit, ({ created_at, delegate_id }) => ({ at: created_at, id: delegate_id }));
    return { items: await this.present(items), next_cursor };
  }

  async add(company_user_id: string, share_code: string): Promise<Delegate> {
    const { user_id, type, region, public_key } = await this.frontDoor.request(FRONT_DOOR.whoHas, {}, { share_code });
    if (user_id === company_user_id) {
      throw new Refusal('request.invalid').because('share_code: this is your own code; give that of another user');
    }
    const { display_name } = await this.note(region, { user_id, company_user_id });
    const delegate: DelegateEntity = {
      delegate_id: newId('dele'),
      company_user_id,
      delegate_user_id: user_id,
      delegate_type: type,
      display_name,
      public_key,
      share_code,
      accepted_at: null,
      created_at: this.clock.now(),
    };
    await this.home.write(company_user_id, (tx) => this.addIn(tx, delegate));
    count(METRICS.changes, { 'codase.outcome': 'added' });
    return (await this.present([delegate]))[0]!;
  }

  /** Takes a delegate's grants and ends the delegation. */
  async remove(company_user_id: string, delegate_id: string): Promise<void> {
    await this.home.write(company_user_id, async (tx) => {
      const delegate = await removeDelegate(tx, company_user_id, delegate_id);
      if (!delegate) throw notFound();
      await this.changed(tx, delegate, { act: 'delegate.removed', object: delegate_id });
    });
    count(METRICS.changes, { 'codase.outcome': 'removed' });
  }

  async grant({ company_user_id, delegate_id, service_id }: Granted, passphrase: Sealed | null): Promise<Delegate> {
    const { delegate, outcome } = await this.home.write(company_user_id, async (tx) => {
      const locked = await lockOwn(tx, company_user_id, delegate_id);
      const { encrypted_private_key } = await holdService(tx, { company_user_id, service_id });
      // The operator may provision a service without its private key, although no company creates one so.
      if (passphrase !== null && encrypted_private_key === null) {
        throw new Refusal('request.invalid').because('passphrase: this service has no stored private key; grant it without one');
      }
      return { delegate: locked, outcome: await this.grantIn(tx, locked, { service_id, passphrase }) };
    });
    if (outcome) count(METRICS.changes, { 'codase.outcome': outcome });
    return (await this.present([delegate]))[0]!;
  }

  async revoke({ company_user_id, delegate_id, service_id }: Granted): Promise<void> {
    await this.home.write(company_user_id, async (tx) => {
      const delegate = await lockOwn(tx, company_user_id, delegate_id);
      // Before the grant is locked: whoever deletes the service has locked it before its grants.
      await holdService(tx, { company_user_id, service_id });
      const grant_id = await removeGrant(tx, delegate_id, service_id);
      if (grant_id === undefined) throw notFound();
      const message = `The service was taken from the delegate ${delegate_id}`;
      await writeLog(tx, { company_user_id, service_id }, { kind: LOG_KINDS.delegate_revoked, message }, this.clock.now());
      await this.changed(tx, delegate, { act: 'delegate.revoked', object: grant_id, details: { service_id } });
    });
    count(METRICS.changes, { 'codase.outcome': 'revoked' });
  }

  /**
   * Notes in the home region of a user that the company may have made the user its delegate. The note comes first: without it the delegate
   * would never see the delegation. Returns the name of the user.
   */
  private async note(region: string, noted: { user_id: string; company_user_id: string }): Promise<{ display_name: string }> {
    return this.peers.call(DELEGATION_SUBJECTS.noteDelegating, region, noted).catch(notAsFound);
  }

  private async addIn(tx: EntityManager, delegate: DelegateEntity): Promise<void> {
    const { company_user_id, delegate_user_id } = delegate;
    await holdAccount(tx, delegate_user_id).catch(notAsFound);
    await lockAdding(tx, company_user_id, delegate_user_id);
    if (!(await addDelegate(tx, delegate))) throw new Refusal('delegates.exists');
    const { of_company, of_user } = await countDelegates(tx, company_user_id, delegate_user_id);
    if (of_company > DELEGATES.per_company) throw new Refusal('delegates.too_many');
    if (of_user > DELEGATES.companies_per_user) {
      throw new Refusal('delegates.too_many').because(
        'This user is a delegate of as many companies as one may be: the user may leave some',
      );
    }
    await this.changed(tx, delegate, { act: 'delegate.added', object: delegate.delegate_id });
  }

  /** Grants a service, or replaces the grant. Returns what changed; undefined when nothing did, and then nobody hears of it. */
  private async grantIn(
    tx: EntityManager,
    delegate: DelegateEntity,
    { service_id, passphrase }: { service_id: string; passphrase: Sealed | null },
  ): Promise<'granted' | 'key_withdrawn' | undefined> {
    const { delegate_id, company_user_id } = delegate;
    const granted_at = this.clock.now();
    const put = await putGrant(tx, { grant_id: newId('grant'), delegate_id, service_id, company_user_id, passphrase, granted_at });
    if (!put) return undefined;
    if ((await countGrants(tx, delegate_id)) > DELEGATES.services_each) throw new Refusal('delegates.too_many');
    const message = `The service was granted to the delegate ${delegate_id}, ${passphrase === null ? 'without' : 'with'} its key`;
    await writeLog(tx, { company_user_id, service_id }, { kind: LOG_KINDS.delegate_granted, message }, granted_at);
    const outcome = put.had_key && passphrase === null ? 'key_withdrawn' : 'granted';
    const reason = passphrase === null ? 'without_key' : 'with_key';
    const details = { service_id, ...(outcome === 'granted' && { reason }) };
    await this.changed(tx, delegate, { act: `delegate.${outcome}`, object: put.grant_id, details });
    return outcome;
  }

  /** Records a change, and informs the phones of the delegate. */
  private async changed(tx: EntityManager, delegate: DelegateEntity, { act, object, details }: Change): Promise<void> {
    const { company_user_id: account_id, delegate_user_id: user_id } = delegate;
    await this.audit.record(tx, { act, account_id, object, details: { user_id, ...details } });
    await emitAppEvents(tx, phoneEvents(delegate, this.clock.now()));
  }

  /**
   * Returns delegates as their company sees them: who they are only once they have accepted. It asks other regions for names, so no
   * transaction is open.
   */
  private async present(delegates: readonly DelegateEntity[]): Promise<Delegate[]> {
    const ids = delegates.map(({ delegate_id }) => delegate_id);
    const [grants, names] = await Promise.all([
      listGrants(this.db, ids),
      this.names.of(delegates.filter(({ accepted_at }) => accepted_at !== null)),
    ]);
    return delegates.map(({ delegate_id, delegate_user_id, public_key, share_code, accepted_at, created_at }) => ({
      id: delegate_id,
      share_code,
      user_id: accepted_at && delegate_user_id,
      display_name: accepted_at && names.get(delegate_user_id)!,
      accepted_at: accepted_at?.toISOString() ?? null,
      public_key,
      services: grants
        .filter((grant) => grant.delegate_id === delegate_id)
        .map(({ service_id, has_key, key_read_at }) => ({ service_id, has_key, key_read_at: key_read_at?.toISOString() ?? null })),
      created_at: created_at.toISOString(),
    }));
  }
}

async function lockOwn(tx: EntityManager, company_user_id: string, delegate_id: string): Promise<DelegateEntity> {
  const delegate = await lockDelegate(tx, company_user_id, delegate_id);
  if (!delegate) throw notFound();
  return delegate;
}

const notFound = () => new Refusal('delegates.not_found');

/** Replaces refusals about the user who was found a moment ago: the account was deleted since, or is moving to another region. */
function notAsFound(error: unknown): never {
  const key = error instanceof Refusal && error.key;
  if (key === 'auth.token_invalid') throw new Refusal('keys.not_found');
  throw key === 'region.rebase_required' ? new Refusal('service.unavailable') : error;
}
