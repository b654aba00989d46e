import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Verification } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../audit/index.ts';
import { faultOf, FieldChanges, putSource, removeSource, verifySource, weighSources, type SourceRow } from '../../connections/index.ts';
import { ContactFields, FieldTypesView, type ContactField } from '../../registry/index.ts';
import { hideField } from '../../services/index.ts';
import { checkCopies, checkValue, COMPANY_VALUE_CHARS, PROFILE_CHARS, type NewContactValue } from './contact-value.ts';

/** Whose profile it is. */
export interface Owner {
  user_id: string;
  type: 'person' | 'company';
}

/** The values of people's own profiles, and what becomes of the slots that follow them. @gap D1-6.1 */
@Injectable()
export class ContactData {
  constructor(
    private readonly fields: ContactFields,
    private readonly view: FieldTypesView,
    private readonly changes: FieldChanges,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
  ) {}

  /** @spec D1-6.1 */
  async put(owner: Owner, slug: string, given: NewContactValue): Promise<SourceRow> {
    const { user_id } = owner;
    const { value, is_private, copies } = given;
    if (owner.type === 'company' && value.length > COMPANY_VALUE_CHARS) throw tooLong();
    return this.changes.make({
      user_id,
      field: slug,
      operation: 'follow',
      write: async (tx, slots) => {
        checkValue(this.view.types, await this.fieldOf(tx, owner, slug), given);
        const kept = await putSource(tx, user_id, { slug, value, is_private, updated_at: this.clock.now() });
        if ((await weighSources(tx, user_id)) > PROFILE_CHARS) throw profileFull();
        checkCopies({ types: this.view.types, faultOf }, slots, given);
        return { kept, content: { is_private, copies } };
      },
    });
  }

  /** What was live ends with it; a snapshot that was given stays given. @spec D1-6.1 */
  delete({ user_id }: Owner, slug: string): Promise<void> {
    return this.forget(user_id, slug, async (tx) => {
      if (!(await removeSource(tx, user_id, slug))) throw new Refusal('contact_fields.not_found');
    });
  }

  /**
   * A field of one's own, with its value. Nothing follows or shows it any more, so its slug is free: made anew, with whatever type, it is
   * another field. @spec D1-6.1 @gap D1-2.5
   */
  deleteField({ user_id }: Owner, slug: string): Promise<void> {
    return this.forget(user_id, slug, async (tx) => {
      await this.fields.remove(tx, user_id, slug);
      await removeSource(tx, user_id, slug);
      await hideField(tx, user_id, slug, this.clock.now());
    });
  }

  /** Gains or, with nothing said, loses its verification. @spec D1-6.1 @gap D1-2.7 */
  verify(user_id: string, slug: string, verification: Verification): Promise<void> {
    return this.changes.make({
      user_id,
      field: slug,
      operation: 'verify',
      write: async (tx) => {
        if (!(await verifySource(tx, user_id, slug, verification))) throw new Refusal('contact_fields.not_found');
        await this.audit.record(tx, { act: 'field.verified', account_id: user_id, object: slug });
        return { kept: undefined, content: { verification } };
      },
    });
  }

  /** Every live slot that follows the field ends, in every region. */
  private forget(user_id: string, field: string, remove: (tx: EntityManager) => Promise<void>): Promise<void> {
    return this.changes.make({
      user_id,
      field,
      operation: 'forget',
      write: async (tx) => ({ kept: await remove(tx), content: {} }),
    });
  }

  /** A field that a profile of that type may fill. @spec D1-2.5 */
  private async fieldOf(tx: EntityManager, { user_id, type }: Owner, slug: string): Promise<ContactField> {
    const fields = await this.fields.of(user_id, tx);
    const field = fields.find((one) => one.slug === slug && (one.usertype === 'any' || one.usertype === type));
    if (!field) throw new Refusal('contact_fields.not_found');
    return field;
  }
}

const tooLong = () => new Refusal('documents.too_large').because(`value: must have at most ${COMPANY_VALUE_CHARS} characters`);
const profileFull = () =>
  new Refusal('documents.too_large').because(`value: all of your profile has at most ${PROFILE_CHARS} characters: delete a file first`);
