import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type customer as contracts, type Customer, type Input, type SentValue } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { one, sql } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { Home } from '../access/index.ts';
import { REGION_DB } from '../databases.ts';
import { pageOf, type Page, type Slice } from '../paging.ts';
import { ContactFields, type ContactField } from '../registry/index.ts';
import { noteCompany } from './customer-companies.store.ts';
import { movedMeanwhile, SharingRegions } from './sharing-regions.service.ts';
import type { Answered } from './sharings.ts';
import { listVerifications } from './sources.store.ts';

type Given = Input<typeof contracts.connect>['body']['values'][number];
type Change = Input<typeof contracts.changeCustomerConnection>['body'];
type Connection = Answered<'read'>;

/** A customer at home: what they connect to and share, wherever the company lives. @spec D1-5.8 @gap D1-5.8 */
@Injectable()
export class Customers {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(Home) private readonly home: Home,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(ContactFields) private readonly fields: ContactFields,
    @Inject(SharingRegions) private readonly regions: SharingRegions,
  ) {}

  async card(user_id: string, company_code: string, service_code: string): Promise<Answered<'card'>> {
    const { region, company_user_id } = await this.companyWith(company_code);
    const { type } = await this.customer(user_id);
    return this.regions.ask(region, 'card', { company_user_id, service_code, type }, this.db.manager);
  }

  async connect(user_id: string, code: string, given: readonly Given[]): Promise<Connection> {
    const [company_code = '', service_code = ''] = code.split('/');
    const { region, company_user_id } = await this.companyWith(company_code);
    const customer = await this.customer(user_id);
    const fields = await this.fields.of(user_id);
    // Kept before the connection can come about elsewhere: a company that is noted in vain does no harm, one that is not would be missed.
    await this.home.write(user_id, (tx) => noteCompany(tx, user_id, company_user_id));
    return this.write(user_id, async (tx) => {
      const values = await sentValues(tx, customer, fields, given);
      return this.regions.ask(region, 'connect', { company_user_id, service_code, customer, values }, tx);
    });
  }

  /** The lists of its regions as one, the oldest first. */
  async list(user_id: string, { limit, after }: Slice): Promise<Page<Connection>> {
    const asked = { user_id, limit: limit + 1, after: after ? { at: after.at.toISOString(), id: after.id } : null };
    const regions = await this.regions.of(user_id, this.db.manager);
    const lists = await Promise.all(regions.map((region) => this.regions.ask(region, 'places', asked, this.db.manager)));
    const places = lists.flatMap((list) => list.places).map(({ at, id }) => ({ at: new Date(at), id }));
    places.sort((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1));
    const { items, next_cursor } = pageOf(places, limit, (place) => place);
    const connections: Connection[] = [];
    for (const { id } of items) connections.push(...(await this.read(user_id, id).then((found) => [found], unlessEnded)));
    return { items: connections, next_cursor };
  }

  read(user_id: string, connection_id: string): Promise<Connection> {
    return this.regions.askHolder('read', { user_id, connection_id }, this.db.manager);
  }

  async change(user_id: string, connection_id: string, { values: given, drop, decline }: Change): Promise<Connection> {
    const customer = await this.customer(user_id);
    const fields = await this.fields.of(user_id);
    return this.write(user_id, async (tx) => {
      const values = await sentValues(tx, customer, fields, given);
      return this.regions.askHolder('change', { user_id, connection_id, values, drop, decline }, tx);
    });
  }

  async disconnect(user_id: string, connection_id: string): Promise<void> {
    await this.write(user_id, (tx) => this.regions.askHolder('disconnect', { user_id, connection_id }, tx));
  }

  /** A customer's own writes come one after the other, so that no slot misses an edit of the field it follows. */
  write<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.home.write(user_id, async (tx) => {
      await one(tx, sql`select pg_advisory_xact_lock(${CUSTOMER_LOCK}, hashtext(${user_id}))`);
      return work(tx).catch((error: unknown) => {
        throw movedMeanwhile(error);
      });
    });
  }

  private async companyWith(share_code: string): Promise<{ company_user_id: string; region: string }> {
    const holder = await this.bus.request(FRONT_DOOR.whoHas, {}, { share_code }).catch(nobody);
    if (holder?.type !== 'company') throw new Refusal('company_connections.service_not_found');
    return { company_user_id: holder.user_id, region: holder.region };
  }

  /** What the service learns of its customer. */
  private async customer(user_id: string): Promise<Customer> {
    const customer = await one<Customer>(this.db, sql`
      select user_id, type, display_name, share_code, public_key from profile where user_id = ${user_id}`);
    if (!customer) throw new Refusal('service.unavailable');
    return customer;
  }
}

/** The class of the locks that let one customer's writes wait for each other. */
const CUSTOMER_LOCK = 0x63757374;

/** Answers with what is known here of the fields they come from. */
async function sentValues(
  tx: EntityManager, { user_id, type }: Customer, fields: readonly ContactField[], given: readonly Given[],
): Promise<SentValue[]> {
  const own = fields.filter(({ usertype }) => usertype === 'any' || usertype === type);
  const known = await listVerifications(tx, user_id, given.flatMap(({ source_field }) => source_field ?? []));
  const sourceOf = (slug: string) => ({
    field: slug,
    type: own.find((field) => field.slug === slug)?.type ?? null,
    verification: known.find((source) => source.slug === slug)?.verification ?? {},
  });
  return given.map(({ source_field, ...value }) => ({ ...value, source: source_field === undefined ? null : sourceOf(source_field) }));
}

function nobody(error: unknown): undefined {
  if (error instanceof Refusal && error.key === 'keys.not_found') return undefined;
  throw error;
}

function unlessEnded(error: unknown): [] {
  if (error instanceof Refusal && error.key === 'company_data.connection_not_found') return [];
  throw error;
}
