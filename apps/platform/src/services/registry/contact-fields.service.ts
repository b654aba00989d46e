import { Injectable } from '@nestjs/common';
import { Refusal, type Input, type registry } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { Home } from '../../foundation/regions/index.ts';
import { ContactFieldsStore } from './contact-fields.store.ts';
import { FieldTypesView } from './field-types-view.service.ts';
import { fieldFault, OWN_FIELDS } from './own-field.ts';
import { isSystemSlug, SYSTEM_FIELDS, type ContactField } from './system-fields.ts';

type NewField = Input<typeof registry.putContactField>['body'];

/** The field catalog of an owner: the platform's fields, and the owner's own. @spec D1-2.5 */
@Injectable()
export class ContactFields {
  constructor(
    private readonly store: ContactFieldsStore,
    private readonly view: FieldTypesView,
    private readonly home: Home,
  ) {}

  /** Returns every field of the owner, whatever type of profile may fill it. With `tx` they are read in that transaction. */
  async of(owner_user_id: string, tx?: Db): Promise<ContactField[]> {
    return [...SYSTEM_FIELDS, ...(await this.store.of(owner_user_id, tx))];
  }

  /** Adds or changes an own field. The fields of the platform cannot be changed. */
  async put(owner_user_id: string, slug: string, { options, ...wanted }: NewField): Promise<ContactField> {
    if (isSystemSlug(slug)) throw new Refusal('contact_fields.not_found').because('This is a field of the platform: choose another slug');
    const fault = fieldFault(wanted.type, this.view.types.resolve(wanted.type), options);
    if (fault) throw new Refusal('request.invalid').because(fault);
    return this.home.write(owner_user_id, async (tx) => {
      const field = await this.store.put(tx, owner_user_id, { slug, ...wanted, options: options ?? null });
      if (!field) throw new Refusal('contact_fields.type_changed');
      if ((await this.store.count(tx, owner_user_id)) > OWN_FIELDS) throw tooMany();
      return field;
    });
  }

  /** Removes the field alone. The caller removes its value in the same transaction. */
  async remove(tx: EntityManager, owner_user_id: string, slug: string): Promise<void> {
    if (!(await this.store.delete(tx, owner_user_id, slug))) throw new Refusal('contact_fields.not_found');
  }
}

const tooMany = () => new Refusal('request.invalid').because(`You have ${OWN_FIELDS} fields already: delete one first`);
