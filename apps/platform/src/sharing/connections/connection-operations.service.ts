import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { findProfile, holdAccount, Home } from '../../foundation/regions/index.ts';
import { emit } from '../../services/feed/index.ts';
import { newId } from '../../kit/ids.ts';
import {
  configToken,
  findService,
  findServiceByCode,
  holdService,
  listRequestFields,
  type ServiceRow,
} from '../../services/services/index.ts';
import { checkMandatory, rowsFor } from './answers.ts';
import { ConnectionAnswers } from './connection-answers.service.ts';
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
import type { ConnectionRow } from './connection-row.ts';
import {
  addConnection,
  findOfCustomer,
  isConnected,
  listArriving,
  listPositions,
  lockConnection,
  removeConnection,
} from './connections.store.ts';
import { connectionEvent } from './events.ts';
import type { ReplyOf, RequestOf, OperationsTable } from './region-protocol.ts';
import { presentCustomerConnection } from './present.ts';
import { listDeclined, listValues } from './values.store.ts';

/** Operations on connections to services of companies here, each one transaction with its events. @spec D1-2.7 @spec D1-6.1 */
@Injectable()
export class ConnectionOperations implements Pick<
  OperationsTable<EntityManager>,
  'card' | 'connect' | 'places' | 'read' | 'change' | 'disconnect'
> {
  constructor(
    private readonly home: Home,
    private readonly answers: ConnectionAnswers,
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
    const { company_user_id, service_code, customer } = request;
    const { service_id } = await this.serviceWith(tx, company_user_id, service_code);
    await checkCode(tx, request);
    await this.home.remains(tx, company_user_id);
    await holdAccount(tx, customer.user_id);
    const service = await holdService(tx, { company_user_id, service_id });
    checkWanted(service, customer);
    const rows = rowsFor(await listRequestFields(tx, service), customer.type);
    const at = this.clock.now();
    const values = await this.answers.proven(customer.user_id, request.values);
    this.answers.check(rows, values, at);
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
    await this.answers.add(tx, connection, { rows, values, at, as_of: new Date(request.at) });
    await emit(tx, [connectionEvent('connection_created', connection, at)]);
    const accepted = request.by && 'request_id' in request.by ? request.by.request_id : undefined;
    for (const beginning of this.beginnings) await beginning.connectionBegins(tx, connection, at, accepted);
    await this.record(tx, 'connection.created', connection);
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
    const connection = await this.lock(tx, user_id, connection_id);
    const service = await findService(tx, connection);
    if (await this.answers.change(tx, connection, wanted)) await this.record(tx, 'connection.changed', connection);
    return this.present(tx, connection, service);
  }

  /** Ends the connection for the customer, with all that was shared on it; either side can do so. @spec D1-6.1 */
  async disconnect(tx: EntityManager, { user_id, connection_id }: RequestOf<'disconnect'>): Promise<ReplyOf<'disconnect'>> {
    const connection = await this.lock(tx, user_id, connection_id);
    await this.endByChoice(tx, connection, user_id);
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
  async endByChoice(tx: EntityManager, connection: ConnectionRow, initiator?: string): Promise<void> {
    for (const condition of this.conditions) await condition.checkConnectionMayEnd(tx, connection);
    await this.end(tx, connection, initiator);
    await this.notices.connectionsEnded(tx, [connection], this.clock.now());
  }

  /** Ends a locked connection, even if something binds the two sides. */
  async end(tx: EntityManager, connection: ConnectionRow, initiator?: string): Promise<void> {
    for (const ending of this.endings) await ending.connectionEnds(tx, connection);
    for (const ending of this.endings) await ending.informOfEnd?.(tx, connection);
    await endConnection(tx, connection, this.clock.now());
    const { company_user_id: account_id, connection_id: object } = connection;
    await this.audit.record(tx, { act: 'connection.ended', account_id, object, initiator });
  }

  private record(tx: EntityManager, act: 'connection.created' | 'connection.changed', { company_user_id, ...connection }: ConnectionRow) {
    const { connection_id: object, customer_user_id: initiator } = connection;
    return this.audit.record(tx, { act, account_id: company_user_id, object, initiator });
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

  private async present(tx: EntityManager, connection: ConnectionRow, service: ServiceRow): Promise<ReplyOf<'read'>> {
    const card = await cardOf(tx, service, connection.customer_type);
    const { connection_id } = connection;
    return presentCustomerConnection(connection, card, await listValues(tx, [connection_id]), await listDeclined(tx, connection_id));
  }
}

/** Refuses to connect by a code that is not the company's: what the customer's device has signed names the company by it. */
async function checkCode(tx: EntityManager, { company_user_id, by }: RequestOf<'connect'>): Promise<void> {
  if (!by || 'request_id' in by) return;
  if ((await findProfile(tx, company_user_id))?.share_code !== by.company_code) throw new Refusal('company_connections.service_not_found');
}

/** Deletes a locked connection, and tells its service with an event. */
export async function endConnection(tx: EntityManager, connection: ConnectionRow, now: Date): Promise<void> {
  await removeConnection(tx, connection.connection_id);
  await emit(tx, [connectionEvent('connection_deleted', connection, now)]);
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
