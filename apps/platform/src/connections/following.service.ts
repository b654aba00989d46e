import { Inject, Injectable } from '@nestjs/common';
import type { FieldTypes } from '@cds/domain/field-types';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { EntityManager } from 'typeorm';
import { emit } from '../feed/index.ts';
import { FieldTypesView } from '../registry/index.ts';
import { checkContent } from './answers.ts';
import type { SharedValueRow } from './connection-row.ts';
import { ofSlot } from './happened.ts';
import { isSame, isSameVerification } from './same.ts';
import { fileDigest } from './shared-file.ts';
import { Sharing } from './sharing.service.ts';
import type { Answered, Asked, Sharings } from './sharings.ts';
import { listFollowing, putValue, removeValues, setVerification, type NewValue } from './values.store.ts';

/** Live slots follow the fields of their customers: what is edited, deleted or verified there is told here. @spec D1-6.1 */
@Injectable()
export class Following implements Pick<Sharings<EntityManager>, 'slots' | 'follow' | 'forget' | 'verify'> {
  constructor(
    @Inject(Sharing) private readonly sharing: Sharing,
    @Inject(FieldTypesView) private readonly view: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async slots(tx: EntityManager, { user_id, field }: Asked<'slots'>): Promise<Answered<'slots'>> {
    const slots = await listFollowing(tx, user_id, field);
    return { slots: slots.map(({ connection_id, slug, type }) => ({ connection_id, slug, is_file: this.view.types.isBinary(type) })) };
  }

  /** One event for each slot whose copy is another than before. @spec D1-6.1 */
  async follow(tx: EntityManager, { user_id, field, is_private, copies }: Asked<'follow'>): Promise<null> {
    const at = this.clock.now();
    for (const slot of await listFollowing(tx, user_id, field)) {
      const copy = copies.find(({ connection_id, slug }) => connection_id === slot.connection_id && slug === slot.slug);
      if (!copy) continue;
      checkContent(this.view.types, slot, { value: copy.value, source_private: is_private, type: slot.type });
      const connection = await this.sharing.lock(tx, user_id, slot.connection_id);
      const next = copyOf(this.view.types, slot, { value: copy.value, source_private: is_private, at });
      if (isSame(slot, next)) continue;
      await putValue(tx, connection, next);
      await emit(tx, [ofSlot('field_updated', connection, slot.slug, at)]);
    }
    return null;
  }

  /** @spec D1-6.1 */
  async forget(tx: EntityManager, { user_id, field }: Asked<'forget'>): Promise<null> {
    const at = this.clock.now();
    for (const { connection_id, service_field_id, slug } of await listFollowing(tx, user_id, field)) {
      const connection = await this.sharing.lock(tx, user_id, connection_id);
      await removeValues(tx, connection_id, [service_field_id]);
      await emit(tx, [ofSlot('field_deleted', connection, slug, at)]);
    }
    return null;
  }

  /** The value is what it was, what is said of it is not. @spec D1-6.1 */
  async verify(tx: EntityManager, { user_id, field, verification }: Asked<'verify'>): Promise<null> {
    const at = this.clock.now();
    for (const slot of await listFollowing(tx, user_id, field)) {
      if (isSameVerification(slot.verification, verification)) continue;
      const connection = await this.sharing.lock(tx, user_id, slot.connection_id);
      await setVerification(tx, slot.shared_value_id, verification);
      await emit(tx, [ofSlot('field_updated', connection, slot.slug, at)]);
    }
    return null;
  }
}

interface Copy {
  value: string;
  source_private: boolean;
  at: Date;
}

/** An edited value was not verified yet. @gap D1-2.7 */
function copyOf(types: FieldTypes, slot: SharedValueRow, { value, source_private, at }: Copy): NewValue {
  const { service_field_id, type, source_field } = slot;
  const file_sha256 = fileDigest(types, type, source_private, value);
  const kept = { service_field_id, live: true, source_private, source_field };
  return { ...kept, content: value, file_sha256, verification: {}, updated_at: at, expires_at: null };
}
