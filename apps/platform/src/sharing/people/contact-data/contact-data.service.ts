import { Inject, Injectable } from '@nestjs/common';
import { actOf, contactData, digestedBody, Refusal, registry, type PersonAct, type StatedEdit, type Verification } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { currentStatement } from '@codase/runtime/initiator';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../../foundation/audit/index.ts';
import {
  faultOf,
  FieldChanges,
  findVerification,
  putSource,
  removeSource,
  verifySource,
  weighSources,
  type SourceRow,
} from '../../connections/index.ts';
import { Peers, statedDigest } from '../../../foundation/peers/index.ts';
import { ContactFields, FieldTypesView, type ContactField } from '../../../services/registry/index.ts';
import { hideField } from '../../../services/services/index.ts';
import { checkCopies, checkValue, COMPANY_VALUE_CHARS, PROFILE_CHARS, type NewContactValue } from './contact-value.ts';

/** The owner of a profile. */
export interface Owner {
  user_id: string;
  type: 'person' | 'company';
}

/** Returns the verification that a value gets, by what it has now. */
type DecidesVerification = (tx: EntityManager, source: Pick<SourceRow, 'verification' | 'updated_at'>) => Promise<Verification>;

/** Changes the values of users' own profiles, and with them the slots that follow them. @gap D1-6.1 */
@Injectable()
export class ContactData {
  constructor(
    private readonly fields: ContactFields,
    private readonly view: FieldTypesView,
    private readonly changes: FieldChanges,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
    private readonly peers: Peers,
  ) {}

  /** @spec D1-6.1 */
  async put(owner: Owner, slug: string, given: NewContactValue): Promise<SourceRow> {
    const { user_id } = owner;
    if (owner.type === 'company' && given.value.length > COMPANY_VALUE_CHARS) throw tooLong();
    const act = actOf(contactData.putContactData, { slug }, given);
    return this.perform(user_id, act, (isStated) => this.edit(owner, slug, given, isStated ? statedIn(act) : undefined));
  }

  private edit(owner: Owner, slug: string, given: NewContactValue, stated: StatedEdit | undefined): Promise<SourceRow> {
    const { user_id } = owner;
    const { value, is_private, copies } = given;
    return this.changes.make({
      user_id,
      field: slug,
      operation: 'follow',
      write: async (tx, slots) => {
        checkValue(this.view.types, await this.fieldOf(tx, owner, slug), given);
        const kept = await putSource(tx, user_id, { slug, value, is_private, updated_at: this.clock.now() });
        if ((await weighSources(tx, user_id)) > PROFILE_CHARS) throw profileFull();
        checkCopies({ types: this.view.types, faultOf }, slots, given);
        await this.record(tx, 'contact_data.changed', user_id, slug);
        return { kept, content: { is_private, copies, ...(stated && { stated }) } };
      },
    });
  }

  /** Deletes a value. Live answers that follow it end; snapshots that were given stay. @spec D1-6.1 */
  delete({ user_id }: Owner, slug: string): Promise<void> {
    return this.forget(user_id, slug, contactData.deleteContactData, async (tx) => {
      if (!(await removeSource(tx, user_id, slug))) throw new Refusal('contact_fields.not_found');
    });
  }

  /**
   * Deletes an own field of the user, with its value. Nothing follows or shows the field any more, so its slug is free: a field that is
   * made with it later, of whatever type, is another field. @spec D1-6.1 @gap D1-2.5
   */
  deleteField({ user_id }: Owner, slug: string): Promise<void> {
    return this.forget(user_id, slug, registry.deleteContactField, async (tx) => {
      await this.fields.remove(tx, user_id, slug);
      await removeSource(tx, user_id, slug);
      await hideField(tx, user_id, slug, this.clock.now());
    });
  }

  /** Makes a value verified, in the transaction in which `decide` says how. A repeat changes nothing. @spec D1-6.1 @gap D1-2.7 */
  verify(user_id: string, slug: string, decide: DecidesVerification): Promise<void> {
    return this.setVerification(user_id, slug, async (tx, source) => {
      const verification = await decide(tx, source);
      await this.audit.record(tx, { act: 'field.verified', account_id: user_id, object: verification.verification_id ?? slug });
      return verification;
    });
  }

  /** Ends a verification of a value, unless the value has another one by now. @spec D1-6.1 @gap D1-2.7 */
  unverify(user_id: string, slug: string, verification_id: string | null): Promise<void> {
    return this.setVerification(user_id, slug, async (tx, { verification }) => {
      if ((verification.verification_id ?? null) !== verification_id) throw new Refusal('verification.not_found');
      await this.audit.record(tx, { act: 'field.unverified', account_id: user_id, object: verification_id ?? slug });
      return {};
    });
  }

  private setVerification(user_id: string, slug: string, decide: DecidesVerification): Promise<void> {
    return this.changes.make({
      user_id,
      field: slug,
      operation: 'verify',
      write: async (tx) => {
        const source = await findVerification(tx, user_id, slug);
        if (!source) throw new Refusal('verification.value_changed');
        const verification = await decide(tx, source);
        await verifySource(tx, user_id, slug, verification);
        return { kept: undefined, content: { verification } };
      },
    });
  }

  /** Removes a field or value, and ends every live slot that follows it, in every region. */
  private forget(user_id: string, field: string, by: Deletion, remove: (tx: EntityManager) => Promise<void>): Promise<void> {
    const write = async (tx: EntityManager): Promise<void> => {
      await remove(tx);
      await this.record(tx, 'contact_data.deleted', user_id, field);
    };
    return this.perform(user_id, actOf(by, { slug: field }), (isStated) =>
      this.changes.make({
        user_id,
        field,
        operation: 'forget',
        write: async (tx) => ({ kept: await write(tx), content: isStated ? { by: by.name } : {} }),
      }),
    );
  }

  /** Does an act of the profile's owner. A device of a person signs it; the regions of companies then get what it has signed. */
  private perform<T>(user_id: string, act: PersonAct, work: (isStated: boolean) => Promise<T>): Promise<T> {
    return this.peers.performAct({ ...act, user_id }, () => work(currentStatement() !== undefined));
  }

  private record(tx: EntityManager, act: 'contact_data.changed' | 'contact_data.deleted', user_id: string, object: string): Promise<void> {
    return this.audit.record(tx, { act, account_id: user_id, object, initiator: user_id });
  }

  /** Finds a field that a profile of that type may fill. @spec D1-2.5 */
  private async fieldOf(tx: EntityManager, { user_id, type }: Owner, slug: string): Promise<ContactField> {
    const fields = await this.fields.of(user_id, tx);
    const field = fields.find((one) => one.slug === slug && (one.usertype === 'any' || one.usertype === type));
    if (!field) throw new Refusal('contact_fields.not_found');
    return field;
  }
}

type Deletion = typeof contactData.deleteContactData | typeof registry.deleteContactField;

/** What the regions of companies get of an edit that is stated, beside their own copies. */
function statedIn(act: PersonAct): StatedEdit {
  const { value, copies = [] } = digestedBody(act, statedDigest) as { value: string; copies?: string[] };
  return { value, copies };
}

const tooLong = () => new Refusal('documents.too_large').because(`value: must have at most ${COMPANY_VALUE_CHARS} characters`);
const profileFull = () =>
  new Refusal('documents.too_large').because(`value: all of your profile has at most ${PROFILE_CHARS} characters: delete a file first`);
