import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Verification } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { EntityManager } from 'typeorm';
import { Customers, putSource, removeSource, SharingRegions, verifySource, weighSources, type SourceRow } from '../../connections/index.ts';
import { ContactFields, FieldTypesView, type ContactField } from '../../registry/index.ts';
import { checkCopies, checkValue, COMPANY_VALUE_CHARS, isSameSlot, PROFILE_CHARS, type NewContactValue } from './contact-value.ts';

/** Whose profile it is. */
export interface Owner {
  user_id: string;
  type: 'person' | 'company';
}

/**
 * The values of people's own profiles. An edit reaches the copies in other regions first and is kept here last: if one of them cannot be
 * reached, nothing is kept here and the same call, repeated, brings all to the same state. @gap D1-6.1
 */
@Injectable()
export class ContactData {
  constructor(
    @Inject(ContactFields) private readonly fields: ContactFields,
    @Inject(FieldTypesView) private readonly view: FieldTypesView,
    @Inject(Customers) private readonly customers: Customers,
    @Inject(SharingRegions) private readonly regions: SharingRegions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @spec D1-6.1 */
  async put(owner: Owner, slug: string, given: NewContactValue): Promise<SourceRow> {
    const { value, is_private, copies } = given;
    checkValue(this.view.types, await this.fieldOf(owner, slug), given);
    if (owner.type === 'company' && value.length > COMPANY_VALUE_CHARS) throw new Refusal('documents.too_large');
    return this.customers.write(owner.user_id, async (tx) => {
      const followers = await this.followers(tx, owner, slug);
      checkCopies(followers.flatMap(({ slots }) => slots), given);
      for (const { region, slots } of followers) {
        const theirs = copies.filter((copy) => slots.some((slot) => isSameSlot(slot, copy)));
        const edited = { user_id: owner.user_id, field: slug, is_private, copies: theirs };
        if (theirs.length > 0) await this.regions.ask(region, 'follow', edited, tx);
      }
      const put = await putSource(tx, owner.user_id, { slug, value, is_private, updated_at: this.clock.now() });
      if ((await weighSources(tx, owner.user_id)) > PROFILE_CHARS) throw profileFull();
      return put;
    });
  }

  /** What was live ends with it; a snapshot that was given stays given. @spec D1-6.1 */
  delete({ user_id }: Owner, slug: string): Promise<void> {
    return this.customers.write(user_id, async (tx) => {
      for (const region of await this.regions.of(user_id, tx)) await this.regions.ask(region, 'forget', { user_id, field: slug }, tx);
      if (!(await removeSource(tx, user_id, slug))) throw new Refusal('contact_fields.not_found');
    });
  }

  /** Gains or, with nothing said, loses its verification. @spec D1-6.1 @gap D1-2.7 */
  verify(user_id: string, slug: string, verification: Verification): Promise<void> {
    return this.customers.write(user_id, async (tx) => {
      if (!(await verifySource(tx, user_id, slug, verification))) throw new Refusal('contact_fields.not_found');
      const asked = { user_id, field: slug, verification };
      for (const region of await this.regions.of(user_id, tx)) await this.regions.ask(region, 'verify', asked, tx);
    });
  }

  private async followers(tx: EntityManager, { user_id }: Owner, field: string) {
    const regions = await this.regions.of(user_id, tx);
    const ask = async (region: string) => ({ region, ...(await this.regions.ask(region, 'slots', { user_id, field }, tx)) });
    return Promise.all(regions.map(ask));
  }

  /** A field that a profile of that type may fill. @spec D1-2.5 */
  private async fieldOf({ user_id, type }: Owner, slug: string): Promise<ContactField> {
    const fields = await this.fields.of(user_id);
    const field = fields.find((one) => one.slug === slug && (one.usertype === 'any' || one.usertype === type));
    if (!field) throw new Refusal('contact_fields.not_found');
    return field;
  }
}

const profileFull = () => new Refusal('documents.too_large').because('Your profile is full: delete a file first');
