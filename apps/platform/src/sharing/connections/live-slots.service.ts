import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import type { FieldTypes } from '@codase/domain/field-types';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { currentStatement } from '@codase/runtime/initiator';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { Home } from '../../foundation/regions/index.ts';
import { emit, type NewEvent } from '../../services/feed/index.ts';
import { FieldTypesView } from '../../services/registry/index.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { checkContent } from './answers.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import { lockConnections } from './connections.store.ts';
import { slotEvent } from './events.ts';
import { isSameValue, isSameVerification } from './same-value.ts';
import { fileDigest } from './shared-file.ts';
import type { ReplyOf, RequestOf, OperationsTable } from './region-protocol.ts';
import { findValue, listFollowing, putValue, removeSlots, setVerification, type NewValue } from './values.store.ts';

/** Live slots follow the fields of their customers: an edit, a deletion or a verification of the field changes the slot. @spec D1-6.1 */
@Injectable()
export class LiveSlots implements Pick<OperationsTable<EntityManager>, 'slots' | 'follow' | 'forget' | 'verify'> {
  constructor(
    private readonly home: Home,
    private readonly view: FieldTypesView,
    private readonly attestations: Attestations,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns the slots that follow a field. It is called before anything changes in any region, and refuses for every reason that would keep
   * a slot from following: the slots of a company that moves cannot follow, in the old region or the new one. @gap D1-5.6
   */
  async slots(tx: EntityManager, { user_id, field, at }: RequestOf<'slots'>): Promise<ReplyOf<'slots'>> {
    const slots = await listFollowing(tx, user_id, field);
    if (slots.some(({ home }) => home !== 'here')) throw new Refusal('db.writes_paused');
    refuseStaleChange(slots, at);
    return { slots };
  }

  /** Writes the copies into the slots. Each slot whose value differs from before raises one event. @spec D1-6.1 */
  async follow(tx: EntityManager, { is_private: source_private, copies, ...request }: RequestOf<'follow'>): Promise<null> {
    const [events, changed]: [NewEvent[], ConnectionRow[]] = [[], []];
    const [updated_at, as_of] = [this.clock.now(), new Date(request.at)];
    for (const { slot, connection } of await this.hold(tx, request)) {
      const copy = copies.find(({ connection_id, slug }) => connection_id === slot.connection_id && slug === slot.slug);
      if (!copy) continue;
      checkContent(this.view.types, slot, { value: copy.value, source_private });
      const stored = await findValue(tx, slot.shared_value_id);
      const next = copyOf(this.view.types, stored, { value: copy.value, source_private, updated_at, as_of });
      if (isSameValue(stored, next)) continue;
      await putValue(tx, connection, next);
      events.push(slotEvent('field_updated', connection, slot.slug, updated_at));
      changed.push(connection);
    }
    await emit(tx, events);
    await this.record(tx, changed);
    return null;
  }

  /** @spec D1-6.1 */
  async forget(tx: EntityManager, request: RequestOf<'forget'>): Promise<null> {
    const [locked, at] = [await this.hold(tx, request), this.clock.now()];
    const ids = locked.map(({ slot }) => slot.shared_value_id);
    await removeSlots(tx, ids);
    const events = locked.map(({ slot, connection }) => slotEvent('field_deleted', connection, slot.slug, at));
    await emit(tx, events);
    await this.record(
      tx,
      locked.map(({ connection }) => connection),
    );
    return null;
  }

  /** Changes the verification of the slots; their values stay. What no provider attested is no verification. @spec D1-6.1 @gap D1-2.7 */
  async verify(tx: EntityManager, { verification: given, ...request }: RequestOf<'verify'>): Promise<null> {
    const verification = await this.attestations.proven(given, request);
    const [locked, at] = [await this.hold(tx, request), this.clock.now()];
    const news = locked.filter(({ slot }) => !isSameVerification(slot.verification, verification));
    const ids = news.map(({ slot }) => slot.shared_value_id);
    await setVerification(tx, ids, verification, new Date(request.at));
    const events = news.map(({ slot, connection }) => slotEvent('field_updated', connection, slot.slug, at));
    await emit(tx, events);
    return null;
  }

  /** Records that slots followed a field, where a device has signed it. The home region records each change of a field. */
  private async record(tx: EntityManager, changed: readonly ConnectionRow[]): Promise<void> {
    if (!currentStatement()) return;
    const rows = changed.map(({ company_user_id: account_id, connection_id: object, customer_user_id: initiator }) => ({
      act: 'connection.value_followed' as const,
      account_id,
      object,
      initiator,
    }));
    await this.audit.recordAll(tx, rows);
  }

  /**
   * Returns the slots that follow the field, with their connections locked. It first holds the companies in this region until the
   * transaction ends, and then locks the connections: a move takes the locks in the same order. Connections that ended and answers that
   * were withdrawn until then are left out.
   */
  private async hold(tx: EntityManager, { user_id, field, at, company_user_id: only }: RequestOf<'forget'>) {
    const following = async () =>
      (await listFollowing(tx, user_id, field)).filter(({ company_user_id }) => only === undefined || company_user_id === only);
    const found = await following();
    const companies = only === undefined ? found.map(({ company_user_id }) => company_user_id) : [only];
    for (const company of new Set(companies)) await this.home.remains(tx, company);
    const locked = new Map((await lockConnections(tx, found)).map((connection) => [connection.connection_id, connection]));
    const slots = await following();
    refuseStaleChange(slots, at);
    return slots.flatMap((slot) => {
      const connection = locked.get(slot.connection_id);
      return connection ? [{ slot, connection }] : [];
    });
  }
}

type Copy = Pick<NewValue, 'source_private' | 'updated_at' | 'as_of'> & { value: string };

/** Returns the new answer of a slot. It has no verification, since an edited value has not been verified yet. @gap D1-2.7 */
function copyOf(types: FieldTypes, { service_field_id, type, source_field }: SharedValueRow, { value, ...rest }: Copy): NewValue {
  const file_sha256 = fileDigest(types, type, rest.source_private, value);
  return { service_field_id, content: value, file_sha256, live: true, source_field, verification: {}, expires_at: null, ...rest };
}

/**
 * Refuses a change that the customer made before a change that a slot already has: it was delayed on its way, and its caller has given up.
 * It is refused rather than ignored, so that a caller that still waits (because the clock of the home region went back) learns of it and
 * repeats the call.
 */
export function refuseStaleChange(slots: readonly Pick<SharedValueRow, 'as_of'>[], at: string): void {
  const moment = new Date(at);
  const isLate = slots.some(({ as_of }) => as_of !== null && as_of > moment);
  if (isLate) throw new Refusal('service.unavailable').because('A later change of yours has come before this one: repeat the call');
}
