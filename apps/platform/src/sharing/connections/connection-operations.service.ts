import { Inject, Injectable } from '@nestjs/common';
import { Refusal, SHARED_ONCE_FILE_DAYS, type Verification } from '@codase/contracts';
import type { FieldTypes } from '@codase/domain/field-types';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { findProfile, holdAccount, Home } from '../../foundation/regions/index.ts';
import { emit, type NewEvent } from '../../services/feed/index.ts';
import { newId } from '../../kit/ids.ts';
import { FieldTypesView } from '../../services/registry/index.ts';
import {
  configToken,
  findService,
  findServiceByCode,
  holdService,
  listRequestFields,
  type ServiceRow,
} from '../../services/services/index.ts';
import { checkAnswers, checkMandatory, rowOf, rowsFor, type Offered, type RequestedRow } from './answers.ts';
import {
  CONNECTION_BEGINS,
  CONNECTION_ENDS,
  CONNECTION_MAY_END,
  OUTLASTS_CONNECTIONS,
  type ConnectionBegins,
  type ConnectionEnds,
  type ConnectionMayEnd,
  type OutlastsConnections,
} from './connections.hook.ts';
import { ConnectionNotices } from './connection-notices.service.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import {
  addConnection,
  findOfCustomer,
  isConnected,
  listArriving,
  listPositions,
  lockConnection,
  noteDrop,
  removeConnection,
} from './connections.store.ts';
import { connectionEvent, slotEvent } from './events.ts';
import { refuseStaleChange } from './stale-change.ts';
import { isSameValue } from './same-value.ts';
import { fileDigest } from './shared-file.ts';
import type { StoredFile } from './shared-files.store.ts';
import type { ReplyOf, RequestOf, OperationsTable } from './region-protocol.ts';
import { presentCustomerConnection } from './present.ts';
import { decline, listDeclined, listValues, putValue, removeValues, undecline, type NewValue } from './values.store.ts';

const DAY_MS = 86_400_000;

/** Operations on connections to services of companies here, each one transaction with its events. @spec D1-2.7 @spec D1-6.1 */
@Injectable()
export class ConnectionOperations implements Pick<
  OperationsTable<EntityManager>,
  'card' | 'connect' | 'places' | 'read' | 'change' | 'disconnect'
> {
  constructor(
    private readonly home: Home,
    private readonly view: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
    private readonly notices: ConnectionNotices,
    @Inject(CONNECTION_BEGINS) private readonly beginnings: readonly ConnectionBegins[],
    @Inject(CONNECTION_ENDS) private readonly endings: readonly ConnectionEnds[],
    @Inject(CONNECTION_MAY_END) private readonly conditions: readonly ConnectionMayEnd[],
    @Inject(OUTLASTS_CONNECTIONS) private readonly outlasting: readonly OutlastsConnections[],
  ) {}

  /** Returns what a service asks a customer of that type, and the key to seal the answers to. @gap D1-5.8 */
  async card(tx: EntityManager, { company_user_id, service_code, type }: RequestOf<'card'>): Promise<ReplyOf<'card'>> {
    return cardOf(tx, await this.serviceWith(tx, company_user_id, service_code), type);
  }

  async connect(tx: EntityManager, request: RequestOf<'connect'>): Promise<ReplyOf<'connect'>> {
    const { company_user_id, service_code, customer, values } = request;
    const { service_id } = await this.serviceWith(tx, company_user_id, service_code);
    await this.home.remains(tx, company_user_id);
    await holdAccount(tx, customer.user_id);
    const service = await holdService(tx, { company_user_id, service_id });
    checkWanted(service, customer);
    const rows = rowsFor(await listRequestFields(tx, service), customer.type);
    const at = this.clock.now();
    checkAnswers(this.types, rows, values, at);
    checkMandatory(rows, values);

    const { user_id: customer_user_id, type: customer_type, ...described } = customer;
    const connection = await addConnection(tx, {
      connection_id: newId('conn'),
      company_user_id,
      service_id,
      customer_user_id,
      customer_type,
      ...described,
      connected_at: at,
    });
    if (!connection) throw new Refusal('company_connections.exists');
    const as_of = new Date(request.at);
    for (const value of values) await putValue(tx, connection, this.stored(rowOf(rows, value.slug), value, { at, as_of }));
    await emit(tx, [connectionEvent('connection_created', connection, at)]);
    for (const beginning of this.beginnings) await beginning.connectionBegins(tx, connection, at);
    return this.present(tx, connection, service);
  }

  async places(tx: EntityManager, request: RequestOf<'places'>): Promise<ReplyOf<'places'>> {
    const places = await listPositions(tx, request, await this.notHereYet(tx, request.user_id));
    return { places: places.map(({ at, id }) => ({ at: at.toISOString(), id })) };
  }

  async read(tx: EntityManager, { user_id, connection_id }: RequestOf<'read'>): Promise<ReplyOf<'read'>> {
    const connection = await findOfCustomer(tx, user_id, connection_id);
    await this.home.check(connection.company_user_id, tx);
    return this.present(tx, connection, await findService(tx, connection));
  }

  /** Stores new answers, takes answers back and declines rows, in one step. @spec D1-6.1 */
  async change(tx: EntityManager, { user_id, connection_id, ...wanted }: RequestOf<'change'>): Promise<ReplyOf<'change'>> {
    const { values, drop, decline: declined } = wanted;
    const connection = await this.lock(tx, user_id, connection_id);
    const service = await findService(tx, connection);
    const rows = rowsFor(await listRequestFields(tx, connection), connection.customer_type);
    const at = this.clock.now();
    checkAnswers(this.types, rows, values, at);
    const answered = values.map(({ slug }) => slug);
    checkApart(answered, drop, declined);
    const stored = await listValues(tx, [connection_id]);
    const changed = stored.filter(({ slug }) => drop.includes(slug) || answered.includes(slug));
    refuseStaleChange(changed, wanted.at);
    const events = [
      ...(await this.takeAll(tx, connection, { rows, stored, values, at, as_of: new Date(wanted.at) })),
      ...(await dropAll(tx, connection, { stored, slugs: drop, at, as_of: new Date(wanted.at) })),
      ...(await declineAll(tx, connection, { rows, stored, slugs: declined, at })),
    ];
    await emit(tx, events);
    return this.present(tx, connection, service);
  }

  /**
   * Stores answers that a contract flow collected from the customer, as if the customer had given them on the connection. Each goes to the
   * row of its slug, as a one-time value. An answer that no row asks for, or that its row would refuse, stays with the run only. The
   * connection is locked. @spec D2-1 @gap D2-1
   */
  async takeGathered(tx: EntityManager, connection: ConnectionRow, gathered: readonly GatheredAnswer[]): Promise<void> {
    const rows = rowsFor(await listRequestFields(tx, connection), connection.customer_type);
    const at = this.clock.now();
    const values = gathered
      .map(({ type, verification, ...answer }) => ({ ...answer, live: false, source: { field: answer.slug, type, verification } }))
      .filter((value) => rows.some(({ slug }) => slug === value.slug) && isTaken(this.types, rows, value, at));
    const stored = await listValues(tx, [connection.connection_id]);
    await emit(tx, await this.takeAll(tx, connection, { rows, stored, values, at, as_of: at }));
  }

  /** Ends the connection for the customer, with all that was shared on it; either side can do so. @spec D1-6.1 */
  async disconnect(tx: EntityManager, { user_id, connection_id }: RequestOf<'disconnect'>): Promise<ReplyOf<'disconnect'>> {
    const connection = await this.lock(tx, user_id, connection_id);
    await this.endByChoice(tx, connection);
    const { company_user_id } = connection;
    return { last_of: (await this.hasAnyOf(tx, user_id, company_user_id)) ? null : company_user_id };
  }

  /** Whether the customer still has something of the company: the region of the customer then goes on to ask the company's region. */
  private async hasAnyOf(tx: EntityManager, user_id: string, company_user_id: string): Promise<boolean> {
    if (await isConnected(tx, user_id, company_user_id)) return true;
    for (const kept of this.outlasting) if (await kept.hasAnyOf(tx, user_id, company_user_id)) return true;
    return false;
  }

  /** Ends a locked connection for one side, and tells the customer. Refuses while something binds the two sides. @spec D1-4.2 */
  async endByChoice(tx: EntityManager, connection: ConnectionRow): Promise<void> {
    for (const condition of this.conditions) await condition.checkConnectionMayEnd(tx, connection);
    await this.end(tx, connection);
    await this.notices.connectionsEnded(tx, [connection], this.clock.now());
  }

  /** Ends a locked connection, even if something binds the two sides. */
  async end(tx: EntityManager, connection: ConnectionRow): Promise<void> {
    for (const ending of this.endings) await ending.connectionEnds(tx, connection);
    for (const ending of this.endings) await ending.informOfEnd?.(tx, connection);
    await endConnection(tx, connection, this.clock.now());
    const { company_user_id: account_id, connection_id: object } = connection;
    await this.audit.record(tx, { act: 'connection.ended', account_id, object });
  }

  private get types(): FieldTypes {
    return this.view.types;
  }

  private async serviceWith(tx: EntityManager, company_user_id: string, service_code: string): Promise<ServiceRow> {
    const service = await findServiceByCode(tx, company_user_id, service_code);
    if (!service) throw new Refusal('company_connections.service_not_found');
    return service;
  }

  /**
   * Returns the companies that are moving to this region and to which the front door still sends callers elsewhere: the region that they
   * leave answers for them. Once the front door sends callers here, all of their rows have arrived. @gap D1-5.6
   */
  private async notHereYet(tx: EntityManager, user_id: string): Promise<string[]> {
    const arriving = await listArriving(tx, user_id);
    const isHere = await Promise.all(arriving.map((company) => this.home.check(company, tx).then(() => true, isElsewhere)));
    return arriving.filter((_, nth) => !isHere[nth]);
  }

  /** Locks a connection of the customer, after it holds the company in this region: a move takes the locks in the same order. */
  private async lock(tx: EntityManager, user_id: string, connection_id: string): Promise<ConnectionRow> {
    const connection = await findOfCustomer(tx, user_id, connection_id);
    await this.home.remains(tx, connection.company_user_id);
    return lockConnection(tx, connection);
  }

  /** Stores the answers and returns their events: consent for a first answer, update for one that replaces another. @spec D1-6.1 */
  private async takeAll(tx: EntityManager, connection: ConnectionRow, { rows, stored, values, ...moments }: Taken): Promise<NewEvent[]> {
    const events: NewEvent[] = [];
    for (const value of values) {
      const before = stored.find(({ slug }) => slug === value.slug);
      const next = this.stored(rowOf(rows, value.slug), value, moments);
      if (before && isSameValue(before, next)) continue;
      await putValue(tx, connection, next);
      if (!before) await undecline(tx, connection.connection_id, next.service_field_id);
      events.push(slotEvent(before ? 'field_updated' : 'consent_accepted', connection, value.slug, moments.at));
    }
    return events;
  }

  /**
   * Returns the answer as it is stored. A one-time row takes a snapshot, even if a live answer was offered. Only a live answer keeps its
   * source field, which it follows. @spec D1-2.6 @spec D1-2.7
   */
  private stored(row: RequestedRow, { value, live, source_private, source }: Offered<StoredFile>, { at, as_of }: Moments): NewValue {
    const isLive = live && !row.one_time;
    const file_sha256 = typeof value === 'string' ? fileDigest(this.types, row.type, source_private, value) : value.file_sha256;
    return {
      service_field_id: row.service_field_id,
      content: value,
      file_sha256,
      live: isLive,
      source_private,
      source_field: isLive ? (source?.field ?? null) : null,
      verification: source?.verification ?? {},
      updated_at: at,
      as_of,
      expires_at: !isLive && file_sha256 !== null ? new Date(at.getTime() + SHARED_ONCE_FILE_DAYS * DAY_MS) : null,
    };
  }

  private async present(tx: EntityManager, connection: ConnectionRow, service: ServiceRow): Promise<ReplyOf<'read'>> {
    const card = await cardOf(tx, service, connection.customer_type);
    const { connection_id } = connection;
    return presentCustomerConnection(connection, card, await listValues(tx, [connection_id]), await listDeclined(tx, connection_id));
  }
}

/** An answer of a customer to a field of a flow: the text or the file that is sealed to the service. */
export interface GatheredAnswer {
  slug: string;
  /** The type of the field that was answered. */
  type: string;
  value: string | StoredFile;
  source_private: boolean;
  verification: Verification;
}

/** Whether the row of a value takes it. A row refuses from a flow what it would refuse from the customer. */
function isTaken(types: FieldTypes, rows: readonly RequestedRow[], value: Offered, at: Date): boolean {
  try {
    checkAnswers(types, rows, [value], at);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** `at` is the time of this region. `as_of` is when the customer made the change, by the clock of the home region. */
interface Moments {
  at: Date;
  as_of: Date;
}

/** Deletes a locked connection, and tells its service with an event. */
export async function endConnection(tx: EntityManager, connection: ConnectionRow, now: Date): Promise<void> {
  await removeConnection(tx, connection.connection_id);
  await emit(tx, [connectionEvent('connection_deleted', connection, now)]);
}

interface Taken extends Moments {
  rows: readonly RequestedRow[];
  stored: readonly SharedValueRow[];
  values: readonly Offered<StoredFile>[];
}

function isElsewhere(error: unknown): false {
  if (error instanceof Refusal && error.key === 'region.rebase_required') return false;
  throw error;
}

/** @spec D1-7 */
function checkWanted({ audience, company_user_id }: ServiceRow, { type, user_id }: { type: string; user_id: string }): void {
  if (user_id === company_user_id) {
    throw new Refusal('company_connections.persons_only').withStatus(400).because('This service is your own');
  }
  if (audience === 'b2b' && type === 'person') throw new Refusal('services.audience_b2b_only');
}

const invalid = (reason: string) => new Refusal('company_connections.values_invalid').because(reason);

/** Refuses a request that names the same slug twice, in one list or in two. */
function checkApart(...lists: readonly (readonly string[])[]): void {
  const slugs = lists.flat();
  const twice = slugs.find((slug, nth) => slugs.indexOf(slug) !== nth);
  if (twice !== undefined) throw invalid(`${twice}: answer it, drop it or decline it`);
}

interface Dropped extends Moments {
  stored: readonly SharedValueRow[];
  slugs: readonly string[];
}

/** Takes live answers back, once. A snapshot was given for good. @spec D1-6.1 @gap D1-6.1 */
async function dropAll(tx: EntityManager, connection: ConnectionRow, { stored, slugs, at, as_of }: Dropped): Promise<NewEvent[]> {
  if (slugs.length === 0 || !(await noteDrop(tx, connection.connection_id, as_of))) return [];
  const dropped = slugs.map((slug) => {
    const value = stored.find((one) => one.slug === slug && one.live);
    if (!value) throw invalid(`${slug}: nothing live is shared there`);
    return value;
  });
  const service_field_ids = dropped.map(({ service_field_id }) => service_field_id);
  await removeValues(tx, connection.connection_id, service_field_ids);
  return dropped.map(({ slug }) => slotEvent('field_deleted', connection, slug, at));
}

interface Declined {
  rows: readonly RequestedRow[];
  stored: readonly SharedValueRow[];
  slugs: readonly string[];
  at: Date;
}

/** Declines rows. The connection goes on without them, even if a row is mandatory for customers who connect now. @spec D1-6.1 */
async function declineAll(tx: EntityManager, connection: ConnectionRow, { rows, stored, slugs, at }: Declined): Promise<NewEvent[]> {
  const events: NewEvent[] = [];
  for (const slug of slugs) {
    const { service_field_id } = rowOf(rows, slug);
    if (stored.some((value) => value.slug === slug)) throw invalid(`${slug}: it is answered; drop it instead`);
    if (await decline(tx, connection, service_field_id, at)) events.push(slotEvent('consent_declined', connection, slug, at));
  }
  return events;
}

/** @gap D1-5.8 */
async function cardOf(tx: EntityManager, service: ServiceRow, type: 'person' | 'company'): Promise<ReplyOf<'card'>> {
  const { display_name, share_code } = (await findProfile(tx, service.company_user_id))!;
  return {
    service_id: service.service_id,
    name: service.name,
    company: { display_name, share_code },
    audience: service.audience,
    public_key: service.public_key,
    photo_id: service.photo_id,
    config_token: configToken(service),
    // The shape of the contract has neither the ids nor the audiences of rows, so the answer does not contain them. @spec D1-2.6
    request_fields: rowsFor(await listRequestFields(tx, service), type),
  };
}
