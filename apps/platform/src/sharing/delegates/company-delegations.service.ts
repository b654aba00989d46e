import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type DELEGATION_SUBJECTS, type delegations, type Output } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import type { Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Home } from '../../foundation/regions/index.ts';
import type { DelegatedServiceRow } from './delegate-row.ts';
import { acceptDelegate, findDelegation, listDelegations, removeDelegate } from './delegates.store.ts';
import { phoneEvents } from './events.ts';
import { findGranted, listGrants, lockGrant, noteKeyRead } from './grants.store.ts';
import { METRICS } from './metrics.ts';

type Subjects = typeof DELEGATION_SUBJECTS;
type DelegatedService = Output<typeof delegations.readDelegatedKey>;

/** Answers delegates, of this region or another, about delegations by companies that live here. @gap D1-5.8 */
@Injectable()
export class CompanyDelegations implements Handlers<Pick<Subjects, 'list' | 'readKey' | 'accept' | 'leave'>> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list({ user_id }: MessageOf<Subjects['list']>): Promise<ReplyOf<Subjects['list']>> {
    const rows = await listDelegations(this.db, user_id);
    const ids = rows.map(({ delegate_id }) => delegate_id);
    const grants = await listGrants(this.db, ids);
    const servicesOf = (id: string) =>
      grants.filter(({ delegate_id }) => delegate_id === id).map(({ service_id, name, has_key }) => ({ service_id, name, has_key }));
    const delegations = rows.map(
      ({ delegate_id: id, company_user_id, company_display_name, company_share_code, accepted_at, created_at }) => ({
        id,
        company: { user_id: company_user_id, display_name: company_display_name, share_code: company_share_code },
        services: servicesOf(id),
        accepted_at: accepted_at?.toISOString() ?? null,
        created_at: created_at.toISOString(),
      }),
    );
    return { delegations };
  }

  /** Returns a granted service with its key. The first reading of a key is recorded, so that the company knows of it. */
  async readKey(request: MessageOf<Subjects['readKey']>): Promise<DelegatedService> {
    const granted = await this.granted(request);
    if (!granted.has_key || granted.key_read_at !== null) return present(granted);
    const read = await this.home.write(granted.company_user_id, (tx) => this.readFirst(tx, request));
    if (read.isFirst) count(METRICS.changes, { 'codase.outcome': 'key_read' });
    return present(read.granted);
  }

  /** Lets the company see who its delegate is. @gap D1-5.8 */
  async accept({ user_id, delegation_id }: MessageOf<Subjects['accept']>): Promise<null> {
    const found = await findDelegation(this.db, user_id, delegation_id);
    if (!found) throw notFound();
    if (found.accepted_at !== null) return null;
    const isAccepted = await this.home.write(found.company_user_id, (tx) => this.acceptIn(tx, delegation_id));
    if (isAccepted) count(METRICS.changes, { 'codase.outcome': 'accepted' });
    return null;
  }

  /** Ends a delegation for the delegate. It is rolled back when the caller has stopped waiting: the delegate sees that it failed. */
  async leave({ user_id, delegation_id }: MessageOf<Subjects['leave']>, withinMs = Infinity): Promise<null> {
    const deadline = performance.now() + withinMs;
    const found = await findDelegation(this.db, user_id, delegation_id);
    if (!found) throw notFound();
    await this.home.write(found.company_user_id, async (tx) => {
      const delegate = await removeDelegate(tx, found.company_user_id, delegation_id);
      if (!delegate) throw notFound();
      const { company_user_id: account_id, delegate_id: object } = delegate;
      await this.audit.record(tx, { act: 'delegate.left', account_id, object, details: { user_id } });
      await emitAppEvents(tx, phoneEvents(delegate, this.clock.now()));
      if (performance.now() > deadline) throw new Refusal('service.unavailable');
    });
    count(METRICS.changes, { 'codase.outcome': 'left' });
    return null;
  }

  private async granted(request: MessageOf<Subjects['readKey']>, db: DataSource | EntityManager = this.db): Promise<DelegatedServiceRow> {
    const granted = await findGranted(db, request);
    if (!granted) throw notFound();
    return granted;
  }

  /** Returns whether the user had not accepted before. */
  private async acceptIn(tx: EntityManager, delegation_id: string): Promise<boolean> {
    const delegate = await acceptDelegate(tx, delegation_id, this.clock.now());
    if (!delegate) return false;
    const { company_user_id: account_id, delegate_id: object, delegate_user_id: user_id } = delegate;
    await this.audit.record(tx, { act: 'delegate.accepted', account_id, object, details: { user_id } });
    await emitAppEvents(tx, phoneEvents(delegate, this.clock.now()));
    return true;
  }

  /**
   * Reads the grant once more under its lock, because it may have changed, and notes that its key was read. Who reads a key accepts. The
   * delegate is locked before its grant, as by whoever grants or removes.
   */
  private async readFirst(tx: EntityManager, request: MessageOf<Subjects['readKey']>) {
    await this.acceptIn(tx, request.delegation_id);
    await lockGrant(tx, request);
    const granted = await this.granted(request, tx);
    const isFirst = granted.has_key && granted.key_read_at === null;
    if (isFirst) {
      const { company_user_id: account_id, grant_id: object } = granted;
      const { user_id, service_id } = request;
      await noteKeyRead(tx, granted, this.clock.now());
      await this.audit.record(tx, { act: 'delegate.key_read', account_id, object, details: { user_id, service_id } });
    }
    return { granted, isFirst };
  }
}

const present = (granted: DelegatedServiceRow): DelegatedService => {
  const { service_id, name, company_user_id, public_key, encrypted_private_key, passphrase, granted_at } = granted;
  const key = passphrase === null ? null : { passphrase, encrypted_private_key };
  return { service_id, name, company_user_id, public_key, key, granted_at: granted_at.toISOString() };
};

const notFound = () => new Refusal('delegates.not_found');
