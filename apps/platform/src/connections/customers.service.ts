import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal, type customer as contracts, type Customer, type Input, type SentValue } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { FairSemaphore, type Saturated } from '@cds/runtime/resilience';
import type { DataSource, EntityManager } from 'typeorm';
import { findProfile, Home } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { pageOf, type Page, type Place, type Slice } from '../paging.ts';
import { ContactFields, type ContactField } from '../registry/index.ts';
import { forgetCompany, noteCompany } from './customer-companies.store.ts';
import { isHeldUp, LOCK_WAIT_MS, lockCustomer } from './lock-wait.store.ts';
import { isMaybeElsewhere, movedMeanwhile, RegionRouter } from './region-router.service.ts';
import type { ReplyOf, RequestOf } from './region-protocol.ts';
import { listVerifications } from './sources.store.ts';

type Given = Input<typeof contracts.connect>['body']['values'][number];
type Change = Input<typeof contracts.changeCustomerConnection>['body'];
type Connection = ReplyOf<'read'>;

/** Connections that customers' writes may hold at once, in a pool of their own: while they wait for a region, its own are answered. */
export const CUSTOMER_WRITES_AT_ONCE = 10;
/** Of one customer one write is under way, and a few may already wait for it. */
const WRITES_OF_A_CUSTOMER = 4;

/** A transaction on that pool, in which rows of a user may be written. Bound where the capabilities are put together. */
export interface CustomerWrites {
  write<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T>;
}
export const CUSTOMER_WRITES = Symbol('CustomerWrites');

/** A customer at home: what they connect to and share, wherever the company lives. @spec D1-5.8 @gap D1-5.8 */
@Injectable()
export class Customers {
  private readonly capacity = new FairSemaphore(
    { total: CUSTOMER_WRITES_AT_ONCE, each: WRITES_OF_A_CUSTOMER, queuedEach: WRITES_OF_A_CUSTOMER, waitMs: LOCK_WAIT_MS },
    tooMany,
  );

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    @Inject(CUSTOMER_WRITES) private readonly writes: CustomerWrites,
    private readonly bus: Bus,
    private readonly fields: ContactFields,
    private readonly regions: RegionRouter,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async card(user_id: string, company_code: string, service_code: string): Promise<ReplyOf<'card'>> {
    const { region, company_user_id } = await this.companyWith(company_code);
    const { type } = await this.customer(user_id);
    return this.regions.ask(region, 'card', { company_user_id, service_code, type }, this.db.manager);
  }

  async connect(user_id: string, code: string, given: readonly Given[]): Promise<Connection> {
    const [company_code = '', service_code = ''] = code.split('/');
    const { region, company_user_id } = await this.companyWith(company_code);
    const customer = await this.customer(user_id);
    await this.regions.ask(region, 'card', { company_user_id, service_code, type: customer.type }, this.db.manager);
    // Kept before the connection can come about elsewhere: a company that is noted in vain does no harm, one that is not would be missed.
    await this.home.write(user_id, (tx) => noteCompany(tx, user_id, company_user_id));
    return this.write(user_id, async (tx) => {
      // Once more, as a last connection may have ended meanwhile.
      await noteCompany(tx, user_id, company_user_id);
      const values = await sentValues(tx, customer, await this.fields.of(user_id, tx), given);
      return this.regions.ask(region, 'connect', { company_user_id, service_code, customer, values, at: this.now() }, tx);
    });
  }

  /** The lists of its regions as one, the oldest first. */
  async list(user_id: string, { limit, after }: Slice): Promise<Page<Connection>> {
    const request = { user_id, limit: limit + 1, after: after ? { at: after.at.toISOString(), id: after.id } : null };
    const regions = await this.regions.of(user_id, this.db.manager);
    const lists = await Promise.all(regions.map((region) => this.placesIn(region, request)));
    const { items, next_cursor } = pageOf(inOrder(lists.flat()), limit, (place) => place);
    const connections: Connection[] = [];
    for (const place of items) connections.push(...(await this.readAt(place, user_id).then((found) => [found], unlessEnded)));
    return { items: connections, next_cursor };
  }

  read(user_id: string, connection_id: string): Promise<Connection> {
    return this.regions.askHolder('read', { user_id, connection_id }, this.db.manager).catch((error: unknown) => {
      throw movedMeanwhile(error, 'service.unavailable');
    });
  }

  async change(user_id: string, connection_id: string, { values: given, drop, decline }: Change): Promise<Connection> {
    const customer = await this.customer(user_id);
    return this.write(user_id, async (tx) => {
      const values = await sentValues(tx, customer, await this.fields.of(user_id, tx), given);
      return this.regions.askHolder('change', { user_id, connection_id, values, drop, decline, at: this.now() }, tx);
    });
  }

  async disconnect(user_id: string, connection_id: string): Promise<void> {
    await this.write(user_id, async (tx) => {
      const { last_of } = await this.regions.askHolder('disconnect', { user_id, connection_id }, tx);
      if (last_of !== null) await forgetCompany(tx, user_id, last_of);
    });
  }

  /**
   * A customer's own writes come one after the other, so that no slot misses an edit of the field it follows. Each holds a connection
   * while it waits for the one before it, or for another region: only a few may do that at once, and the others wait without a connection.
   */
  async write<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    const release = await this.capacity.acquire(user_id);
    try {
      return await this.writes.write(user_id, async (tx) => {
        await lockCustomer(tx, user_id);
        return work(tx).catch((error: unknown) => {
          throw movedMeanwhile(error, 'db.writes_paused');
        });
      });
    } catch (error) {
      throw isHeldUp(error) ? tooMany('owner') : error;
    } finally {
      release();
    }
  }

  private async placesIn(region: string, request: RequestOf<'places'>): Promise<PlaceIn[]> {
    const { places } = await this.regions.ask(region, 'places', request, this.db.manager);
    return places.map(({ at, id }) => ({ at: new Date(at), id, region }));
  }

  /** Its company may have moved since the region named it. */
  private readAt({ region, id: connection_id }: PlaceIn, user_id: string): Promise<Connection> {
    return this.regions.ask(region, 'read', { user_id, connection_id }, this.db.manager).catch((error: unknown) => {
      if (isMaybeElsewhere(error)) return this.read(user_id, connection_id);
      throw error;
    });
  }

  /** The moment of a change, once those before it are through. */
  private now(): string {
    return this.clock.now().toISOString();
  }

  private async companyWith(share_code: string): Promise<{ company_user_id: string; region: string }> {
    const holder = await this.bus.request(FRONT_DOOR.whoHas, {}, { share_code }).catch(nobody);
    if (holder?.type !== 'company') throw new Refusal('company_connections.service_not_found');
    return { company_user_id: holder.user_id, region: holder.region };
  }

  /** What the service learns of its customer. */
  private async customer(user_id: string): Promise<Customer> {
    const profile = await findProfile(this.db, user_id);
    if (!profile) throw new Refusal('service.unavailable');
    const { type, display_name, share_code, public_key } = profile;
    return { user_id, type, display_name, share_code, public_key };
  }
}

/** A place in the list of one region. */
interface PlaceIn extends Place {
  region: string;
}

/** The oldest first, each once: while a company moves, both regions may name it. */
function inOrder(places: readonly PlaceIn[]): PlaceIn[] {
  const sorted = places.toSorted((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1));
  return sorted.filter(({ id }, nth) => sorted[nth - 1]?.id !== id);
}

/** @gap D1-8 */
const tooMany = (why: Saturated) => new Refusal('rate_limit.exceeded').because(TOO_MANY[why]).after(1);
const TOO_MANY: Record<Saturated, string> = {
  owner: 'Other changes are under way: make one after the other',
  total: 'Many changes are under way: come again in a moment',
};

/** Answers with what is known here of the fields they come from. */
async function sentValues(
  tx: EntityManager,
  { user_id, type }: Customer,
  fields: readonly ContactField[],
  given: readonly Given[],
): Promise<SentValue[]> {
  const own = fields.filter(({ usertype }) => usertype === 'any' || usertype === type);
  const known = await listVerifications(
    tx,
    user_id,
    given.flatMap(({ source_field }) => source_field ?? []),
  );
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
