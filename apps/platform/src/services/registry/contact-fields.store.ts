import { Inject, Injectable } from '@nestjs/common';
import { many, one, type Db } from '@codase/runtime/db';
import { REGION_DB } from '../../kit/databases.ts';
import type { ContactField } from './system-fields.ts';
import { ContactFieldEntity } from './contact-field.entity.ts';

/** The fields that users made for themselves. */
@Injectable()
export class ContactFieldsStore {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  of(owner_user_id: string, db: Db = this.db): Promise<ContactField[]> {
    return many<ContactField>(db)`
      select slug, label, type, usertype, options, false as is_system
        from contact_field
       where owner_user_id = ${owner_user_id}
       order by slug`;
  }

  /** Adds or changes a field. Returns undefined when the field exists with another type; then it is left as it was. */
  put(tx: Db, owner_user_id: string, field: Omit<ContactField, 'is_system'>): Promise<ContactField | undefined> {
    const { slug, label, type, usertype, options } = field;
    return one<ContactField>(tx)`
      insert into contact_field as f (owner_user_id, slug, label, type, usertype, options)
      values (${owner_user_id}, ${slug}, ${label}, ${type}, ${usertype}, ${options})
      on conflict (owner_user_id, slug) do update
         set label = excluded.label, usertype = excluded.usertype, options = excluded.options
       where f.type = excluded.type
      returning slug, label, type, usertype, options, false as is_system`;
  }

  async count(tx: Db, owner_user_id: string): Promise<number> {
    return tx.getRepository(ContactFieldEntity).countBy({ owner_user_id });
  }

  async delete(tx: Db, owner_user_id: string, slug: string): Promise<boolean> {
    return (await tx.getRepository(ContactFieldEntity).delete({ owner_user_id, slug })).affected === 1;
  }
}
