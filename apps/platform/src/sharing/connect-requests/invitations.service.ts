import { Inject, Injectable } from '@nestjs/common';
import { CONNECT_REQUEST_SUBJECTS, Refusal, type connectRequests as contracts, type Input, type Output } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import { Customers, movedMeanwhile, RegionRouter } from '../connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { ConnectRequestAnswers } from './answers.service.ts';
import { listAskingElsewhere } from './requests.store.ts';

type Requests = Output<typeof contracts.listConnectRequests>['items'];
type Values = Input<typeof contracts.acceptConnectRequest>['body']['values'];

/**
 * The requests to a person who is at home here, and the person's answers. This region only keeps which companies may have asked. @gap D1-1
 */
@Injectable()
export class Invitations {
  constructor(
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly answers: ConnectRequestAnswers,
    private readonly customers: Customers,
    @Inject(REGION_DB) private readonly db: Db,
  ) {}

  async list(person_user_id: string): Promise<Requests> {
    const request = { person_user_id };
    const elsewhere = (await this.othersOf(person_user_id)).map((region) =>
      this.bus.request(CONNECT_REQUEST_SUBJECTS.list, { region }, request),
    );
    const lists = await Promise.all([this.answers.list(request), ...elsewhere]);
    return inOrder(lists.flatMap(({ requests }) => requests));
  }

  /** Accepts a request by connecting. That closes the request, in the transaction that makes the connection. @spec D1-6.1 */
  async accept(person_user_id: string, request_id: string, values: Values): Promise<Output<typeof contracts.acceptConnectRequest>> {
    const request = { person_user_id, request_id };
    const { code } = await this.whereItIs(
      person_user_id,
      () => this.answers.code(request),
      (region) => this.bus.request(CONNECT_REQUEST_SUBJECTS.code, { region }, request),
    );
    return this.customers.connect(person_user_id, code, values).catch((error: unknown) => {
      throw isGone(error) ? new Refusal('company_connections.request_not_found') : error;
    });
  }

  async reject(person_user_id: string, request_id: string): Promise<void> {
    const request = { person_user_id, request_id };
    await this.whereItIs(
      person_user_id,
      () => this.answers.reject(request),
      (region) => this.bus.request(CONNECT_REQUEST_SUBJECTS.reject, { region }, request),
    );
  }

  /** Returns the other regions that may have requests to a person. Only these are needed, so any other region may be out of order. */
  private async othersOf(person_user_id: string): Promise<string[]> {
    return this.router.othersWith(await listAskingElsewhere(this.db, person_user_id));
  }

  private whereItIs<T>(person_user_id: string, here: () => Promise<T>, there: (region: string) => Promise<T>): Promise<T> {
    const sought = { notFound: ['company_connections.request_not_found'], others: () => this.othersOf(person_user_id) } as const;
    return this.router.hereOrElsewhere(person_user_id, here, there, sought).catch((error: unknown) => {
      throw movedMeanwhile(error, 'db.writes_paused');
    });
  }
}

/**
 * Refusals that say that the request does not wait any more: since it was read, its service was deleted or has another code, or the person
 * has connected.
 */
const GONE = ['company_connections.service_not_found', 'company_connections.exists'];
const isGone = (error: unknown): boolean => error instanceof Refusal && GONE.includes(error.key);

/** Returns each request once, the oldest first: while a company moves, both regions may return it. */
function inOrder(requests: Requests): Requests {
  const byId = new Map(requests.map((request) => [request.request_id, request]));
  return [...byId.values()].toSorted((one, other) => (one.asked_at < other.asked_at ? -1 : 1));
}
