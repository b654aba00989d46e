import { Inject, Injectable } from '@nestjs/common';
import {
  CONNECTION_SUBJECTS,
  FRONT_DOOR,
  Refusal,
  type Customer,
  type customer as contracts,
  type Input,
  type SentValue,
  type Verification,
} from '@codase/contracts';
import { currentInitiator } from '@codase/runtime/initiator';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { isMaybeElsewhere, movedMeanwhile, Peers } from '../../foundation/peers/index.ts';
import { FrontDoorRequests, findProfile } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, type Page, type ListPosition, type Slice } from '../../kit/paging.ts';
import { ContactFields, type ContactField } from '../../services/registry/index.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { findOfCustomer } from './connections.store.ts';
import { CONNECTION_SEARCH, forgetCompany, noteCompany } from './customer-companies.store.ts';
import { CustomerWrites, type Lease } from './customer-writes.service.ts';
import type { ReplyOf, RequestOf } from './region-protocol.ts';
import { SlotChanges, stillOnItsWay } from './slot-changes.service.ts';
import { hasSlotChangesHere, listSlotChanges } from './slot-changes.store.ts';
import { listVerifications } from './sources.store.ts';

type Given = Input<typeof contracts.connect>['body']['values'][number];
type Change = Input<typeof contracts.changeCustomerConnection>['body'];
type Connection = ReplyOf<'read'>;

/** The connections of customers who are at home in this region, wherever the company of a connection lives. @spec D1-5.8 @gap D1-5.8 */
@Injectable()
export class Customers {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly frontDoor: FrontDoorRequests,
    private readonly fields: ContactFields,
    private readonly writes: CustomerWrites,
    private readonly operations: ConnectionOperations,
    private readonly peers: Peers,
    private readonly outbox: SlotChanges,
    private readonly attestations: Attestations,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async card(user_id: string, company_code: string, service_code: string): Promise<ReplyOf<'card'>> {
    const { region, company_user_id } = await this.companyWith(company_code);
    const { type } = await this.customer(user_id);
    return this.peers.call(CONNECTION_SUBJECTS.card, region, { company_user_id, service_code, type });
  }

  /** Issues a pass for the plugins of the rows that a customer of this type is asked. @gap D1-2.6 */
  async pluginPass(user_id: string, company_code: string, service_code: string): Promise<ReplyOf<'pluginPass'>> {
    const { region, company_user_id } = await this.companyWith(company_code);
    const { type } = await this.customer(user_id);
    return this.peers.call(CONNECTION_SUBJECTS.pluginPass, region, { company_user_id, service_code, type });
  }

  /** Connects to the service of a code. When the service has asked the customer, `request_id` is the id of its request. */
  async connect(user_id: string, code: string, given: readonly Given[], request_id?: string): Promise<Connection> {
    const [company_code = '', service_code = ''] = code.split('/');
    const by = request_id === undefined ? { company_code } : { request_id };
    const { region, company_user_id } = await this.companyWith(company_code);
    const customer = await this.customer(user_id);
    // The company is noted before the connection is made: a note without a connection does no harm, a missing note would hide one.
    const noted = async (tx: EntityManager, at: Date): Promise<RequestOf<'connect'>> => {
      await noteCompany(tx, user_id, company_user_id);
      const values = await this.sent(tx, customer, given);
      return { company_user_id, service_code, customer, values, ...(isStated() && { by }), at: at.toISOString() };
    };
    if (region === this.peers.region)
      return this.here(user_id, async (tx, at) => {
        const request = await noted(tx, at);
        return this.peers.perform(CONNECTION_SUBJECTS.connect, request, () => this.operations.connect(tx, request));
      });
    await this.peers.call(CONNECTION_SUBJECTS.card, region, { company_user_id, service_code, type: customer.type });
    return this.across(user_id, noted, (request) => this.peers.call(CONNECTION_SUBJECTS.connect, region, request));
  }

  /** Merges the lists of all regions that have connections of the customer, the oldest first. */
  async list(user_id: string, { limit, after }: Slice): Promise<Page<Connection>> {
    const request = { user_id, limit: limit + 1, after: after ? { at: after.at.toISOString(), id: after.id } : null };
    const lists = await this.peers.gather(CONNECTION_SUBJECTS.places, request, CONNECTION_SEARCH);
    const positions = lists.flatMap(({ region, reply }) => reply.places.map(({ at, id }) => ({ at: new Date(at), id, region })));
    const { items, next_cursor } = pageOf(inOrder(positions), limit, (place) => place);
    const connections: Connection[] = [];
    for (const position of items) connections.push(...(await this.readAt(position, user_id).then((found) => [found], unlessEnded)));
    return { items: connections, next_cursor };
  }

  /** Reads a connection. Most are in this region, and then no other region is asked. @gap D1-1 */
  read(user_id: string, connection_id: string): Promise<Connection> {
    return this.peers.find(CONNECTION_SUBJECTS.read, { user_id, connection_id }, CONNECTION_SEARCH);
  }

  async change(user_id: string, connection_id: string, { values: given, drop, decline }: Change): Promise<Connection> {
    const customer = await this.customer(user_id);
    const requested = async (tx: EntityManager, at: Date): Promise<RequestOf<'change'>> => {
      const values = await this.sent(tx, customer, given);
      return { user_id, connection_id, values, drop, decline, at: at.toISOString() };
    };
    return this.hereOrElsewhere(
      { user_id, connection_id },
      async (tx, at) => {
        const request = await requested(tx, at);
        return this.peers.perform(CONNECTION_SUBJECTS.change, request, () => this.operations.change(tx, request));
      },
      (regions, refused) =>
        this.across(user_id, requested, (request, { keep }) =>
          this.peers.firstThatHas(regions, CONNECTION_SEARCH, {
            refused,
            call: (region) => this.peers.call(CONNECTION_SUBJECTS.change, region, request),
            before: keep,
          }),
        ),
    );
  }

  async disconnect(user_id: string, connection_id: string): Promise<void> {
    const request = { user_id, connection_id };
    const endHere = (tx: EntityManager) =>
      this.peers.perform(CONNECTION_SUBJECTS.disconnect, request, () => this.operations.disconnect(tx, request));
    const forget = async (tx: EntityManager, { last_of }: ReplyOf<'disconnect'>): Promise<void> => {
      if (last_of !== null) await forgetCompany(tx, user_id, last_of);
    };
    await this.hereOrElsewhere(
      request,
      async (tx) => forget(tx, await endHere(tx)),
      (regions, refused) =>
        this.across(
          user_id,
          async () => request,
          async (_, lease) => {
            const call = (region: string) => this.peers.call(CONNECTION_SUBJECTS.disconnect, region, request);
            const ended = await this.peers.firstThatHas(regions, CONNECTION_SEARCH, { refused, call, before: lease.keep });
            // The connection has ended, even if this fails: a company that stays noted only costs a useless request.
            await lease
              .transaction((tx) => forget(tx, ended))
              .catch((error: unknown) => this.log.warn('a company without connections stays noted', { error }));
          },
        ),
    );
  }

  /**
   * Writes to a connection in this region, where most are, or else in one of the other regions. It looks for the connection before the
   * write begins, so that one in another region costs no useless transaction here.
   */
  private async hereOrElsewhere<T>(
    { user_id, connection_id }: RequestOf<'read'>,
    here: (tx: EntityManager, at: Date) => Promise<T>,
    elsewhere: (regions: readonly string[], refused: Refusal) => Promise<T>,
  ): Promise<T> {
    try {
      await findOfCustomer(this.db, user_id, connection_id);
      return await this.here(user_id, here);
    } catch (error) {
      if (!isMaybeElsewhere(error, CONNECTION_SEARCH)) throw error;
      const regions = await this.peers.elsewhere(user_id, CONNECTION_SEARCH);
      if (regions.length === 0) throw error;
      return elsewhere(regions, error);
    }
  }

  /** Makes a write in this region. Refuses while an earlier change waits in the outbox for a company that has moved here since. */
  private here<T>(user_id: string, work: (tx: EntityManager, at: Date) => Promise<T>): Promise<T> {
    return this.writes.transaction(user_id, async (tx, at) => {
      if (await hasSlotChangesHere(tx, user_id)) throw stillOnItsWay();
      return work(tx, at);
    });
  }

  /** Makes a write in another region, after earlier changes and what the request needs of the home region. */
  private across<R, T>(
    user_id: string,
    prepare: (tx: EntityManager, at: Date) => Promise<R>,
    ask: (request: R, lease: Lease) => Promise<T>,
  ): Promise<T> {
    const begin = async (tx: EntityManager, at: Date) =>
      (await listSlotChanges(tx, user_id)).length > 0 ? undefined : { request: await prepare(tx, at) };
    return this.writes.leased(user_id, begin, async (lease, begun) => {
      const { request } = begun ?? (await this.afterPending(user_id, lease, prepare));
      return ask(request, lease).catch((error: unknown) => {
        throw movedMeanwhile(error, 'db.writes_paused');
      });
    });
  }

  private async afterPending<R>(
    user_id: string,
    lease: Lease,
    prepare: (tx: EntityManager, at: Date) => Promise<R>,
  ): Promise<{ request: R }> {
    await this.outbox.deliverAll(user_id, lease.keep);
    return { request: await lease.transaction((tx) => prepare(tx, lease.at)) };
  }

  private async sent(tx: EntityManager, customer: Customer, given: readonly Given[]): Promise<SentValue[]> {
    const known = await listVerifications(
      tx,
      customer.user_id,
      given.flatMap(({ source_field }) => source_field ?? []),
    );
    const verificationOf = (slug: string): Verification =>
      this.attestations.standing(known.find((source) => source.slug === slug)?.verification ?? {});
    return sentValues(customer, await this.fields.of(customer.user_id, tx), given, verificationOf);
  }

  /** Reads a connection from the region that listed it, or from another one when its company has moved since. */
  private readAt({ region, id: connection_id }: PositionIn, user_id: string): Promise<Connection> {
    return this.peers.call(CONNECTION_SUBJECTS.read, region, { user_id, connection_id }).catch((error: unknown) => {
      if (isMaybeElsewhere(error, CONNECTION_SEARCH)) return this.read(user_id, connection_id);
      throw error;
    });
  }

  /** Finds a company, and where it lives, by the share code that it gave away. */
  async companyWith(share_code: string): Promise<{ company_user_id: string; region: string }> {
    const holder = await this.frontDoor.request(FRONT_DOOR.whoHas, {}, { share_code }).catch(nobody);
    if (holder?.type !== 'company') throw new Refusal('company_connections.service_not_found');
    return { company_user_id: holder.user_id, region: holder.region };
  }

  /** Returns what the service learns about its customer. */
  private async customer(user_id: string): Promise<Customer> {
    const profile = await findProfile(this.db, user_id);
    if (!profile) throw new Refusal('service.unavailable');
    const { type, display_name, share_code, public_key } = profile;
    return { user_id, type, display_name, share_code, public_key };
  }
}

/** Whether a device has signed what is done. Only then the request says how the customer came to connect: an older region refuses that. */
const isStated = (): boolean => currentInitiator()?.statement !== undefined;

/** A list position, and the region whose list it comes from. */
interface PositionIn extends ListPosition {
  region: string;
}

/** Sorts positions, the oldest first, and removes duplicates: while a company moves, both regions may list its connections. */
function inOrder(positions: readonly PositionIn[]): PositionIn[] {
  const sorted = positions.toSorted((one, other) => one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : 1));
  return sorted.filter(({ id }, nth) => sorted[nth - 1]?.id !== id);
}

/** Adds to each answer what this region knows of the field it comes from: its type and its verification. */
function sentValues(
  { type }: Customer,
  fields: readonly ContactField[],
  given: readonly Given[],
  verificationOf: (slug: string) => Verification,
): SentValue[] {
  const own = fields.filter(({ usertype }) => usertype === 'any' || usertype === type);
  const sourceOf = (slug: string) => ({
    field: slug,
    type: own.find((field) => field.slug === slug)?.type ?? null,
    verification: verificationOf(slug),
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
