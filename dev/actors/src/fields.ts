import { contactData, customer, verifications } from '@codase/contracts';
import { seals, type Recipient } from './keys.ts';
import { Facet, type Asks } from './stranger.ts';

/** What a user does with the fields of their own profile. */
export class Fields extends Facet<Asks & Recipient> {
  /** Sets a private value and seals it again for every slot that follows it, as a phone does. @spec D1-6.1 */
  async edits(slug: string, text: string): Promise<void> {
    const { items } = await this.actor.asks(customer.listCustomerConnections, { query: { limit: 200 } });
    const following = items.flatMap(({ id, service, values }) =>
      values
        .filter(({ live, source_field }) => live && source_field === slug)
        .map((value) => ({ connection_id: id, slug: value.slug, service })),
    );
    const copies = await Promise.all(following.map(async ({ service, ...slot }) => ({ ...slot, value: await seals(service, text) })));
    const value = await seals(this.actor, text);
    await this.actor.asks(contactData.putContactData, { params: { slug }, body: { value, is_private: true, copies } });
  }

  /** Agrees that a provider verifies the value of a field. Returns what the user hands to the provider. */
  asksToVerify(slug: string, provider_id: string) {
    return this.actor.asks(verifications.requestVerification, { params: { slug }, body: { provider_id } });
  }

  async deletes(slug: string): Promise<void> {
    await this.actor.asks(contactData.deleteContactData, { params: { slug } });
  }
}
