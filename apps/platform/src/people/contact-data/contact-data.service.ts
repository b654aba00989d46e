import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Verification } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { EntityManager } from 'typeorm';
import {
  Customers,
  faultOf,
  putSource,
  removeSource,
  RegionRouter,
  verifySource,
  weighSources,
  type SourceRow,
} from '../../connections/index.ts';
import { ContactFields, FieldTypesView, type ContactField } from '../../registry/index.ts';
import { hideField } from '../../services/index.ts';
import { checkCopies, checkValue, COMPANY_VALUE_CHARS, isSameSlot, PROFILE_CHARS, type NewContactValue } from './contact-value.ts';

/** Whose profile it is. */
export interface Owner {
  user_id: string;
  type: 'person' | 'company';
}

/**
 * The values of people's own profiles. What is done is checked whole, here and in every region that has copies, before the first of them
 * changes any; it reaches the copies in other regions, and is kept here last. If one of them cannot be reached then, nothing is kept here
 * and the same call, repeated, brings all to the same state. @gap D1-6.1
 */
@Injectable()
export class ContactData {
  constructor(
    private readonly fields: ContactFields,
    private readonly view: FieldTypesView,
    private readonly customers: Customers,
    private readonly regions: RegionRouter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @spec D1-6.1 */
  async put(owner: Owner, slug: string, given: NewContactValue): Promise<SourceRow> {
    const { value, is_private, copies } = given;
    if (owner.type === 'company' && value.length > COMPANY_VALUE_CHARS) throw new Refusal('documents.too_large');
    return this.customers.write(owner.user_id, async (tx) => {
      checkValue(this.view.types, await this.fieldOf(tx, owner, slug), given);
      const at = this.clock.now();
      const put = await putSource(tx, owner.user_id, { slug, value, is_private, updated_at: at });
      if ((await weighSources(tx, owner.user_id)) > PROFILE_CHARS) throw profileFull();
      const changed = { user_id: owner.user_id, field: slug, at: at.toISOString() };
      const followers = await this.followers(tx, changed);
      checkCopies(
        { types: this.view.types, faultOf },
        followers.flatMap(({ slots }) => slots),
        given,
      );
      for (const { region, slots } of followers) {
        const theirs = copies.filter((copy) => slots.some((slot) => isSameSlot(slot, copy)));
        await this.regions.ask(region, 'follow', { ...changed, is_private, copies: theirs }, tx);
      }
      return put;
    });
  }

  /** What was live ends with it; a snapshot that was given stays given. @spec D1-6.1 */
  delete({ user_id }: Owner, slug: string): Promise<void> {
    return this.customers.write(user_id, async (tx) => {
      if (!(await removeSource(tx, user_id, slug))) throw new Refusal('contact_fields.not_found');
      await this.forget(tx, user_id, slug);
    });
  }

  /**
   * A field of one's own, with its value. Nothing follows or shows it any more, so its slug is free: made anew, with whatever type, it is
   * another field. @spec D1-6.1 @gap D1-2.5
   */
  deleteField({ user_id }: Owner, slug: string): Promise<void> {
    return this.customers.write(user_id, async (tx) => {
      await this.fields.remove(tx, user_id, slug);
      await removeSource(tx, user_id, slug);
      await this.forget(tx, user_id, slug);
      await hideField(tx, user_id, slug, this.clock.now());
    });
  }

  /** Gains or, with nothing said, loses its verification. @spec D1-6.1 @gap D1-2.7 */
  verify(user_id: string, slug: string, verification: Verification): Promise<void> {
    return this.customers.write(user_id, async (tx) => {
      if (!(await verifySource(tx, user_id, slug, verification))) throw new Refusal('contact_fields.not_found');
      const changed = { user_id, field: slug, at: this.clock.now().toISOString() };
      const asked = { ...changed, verification };
      for (const { region } of await this.followers(tx, changed)) await this.regions.ask(region, 'verify', asked, tx);
    });
  }

  /** Every live slot that follows the field ends, in every region. */
  private async forget(tx: EntityManager, user_id: string, field: string): Promise<void> {
    const changed = { user_id, field, at: this.clock.now().toISOString() };
    for (const { region } of await this.followers(tx, changed)) await this.regions.ask(region, 'forget', changed, tx);
  }

  /** The regions in which slots follow the field, this one last: what is done here is undone if one of the others refuses. */
  private async followers(tx: EntityManager, { user_id, field }: { user_id: string; field: string }) {
    const regions = await this.regions.of(user_id, tx);
    const ask = async (region: string) => ({ region, ...(await this.regions.ask(region, 'slots', { user_id, field }, tx)) });
    const asked = await Promise.all(regions.map(ask));
    return asked.filter(({ slots }) => slots.length > 0);
  }

  /** A field that a profile of that type may fill. @spec D1-2.5 */
  private async fieldOf(tx: EntityManager, { user_id, type }: Owner, slug: string): Promise<ContactField> {
    const fields = await this.fields.of(user_id, tx);
    const field = fields.find((one) => one.slug === slug && (one.usertype === 'any' || one.usertype === type));
    if (!field) throw new Refusal('contact_fields.not_found');
    return field;
  }
}

const profileFull = () => new Refusal('documents.too_large').because('Your profile is full: delete a file first');
