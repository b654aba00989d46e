import { Injectable } from '@nestjs/common';
import { CONNECT_REQUEST_SUBJECTS, Refusal, type connectRequests as contracts, type Input, type Output } from '@codase/contracts';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';
import { onceEach, Peers, type Search } from '../../foundation/peers/index.ts';
import { Customers } from '../connections/index.ts';
import { listAskingElsewhere } from './requests.store.ts';

type Requests = Output<typeof contracts.listConnectRequests>['items'];
type Values = Input<typeof contracts.acceptConnectRequest>['body']['values'];

const SEARCH: Search = {
  companies: listAskingElsewhere,
  notFound: ['company_connections.request_not_found'],
  instead: { 'region.rebase_required': 'db.writes_paused' },
};

/** The requests to a person at home here, and the answers. This region only keeps which companies may have asked. @gap D1-1 */
@Injectable()
export class Invitations implements AppEventPresenter {
  /** The phones then read the list. */
  readonly presents: AppEventPresenter['presents'] = {
    connection_requested: async ({ object_id: request_id }) => ({ request_id }),
    connection_request_closed: async ({ object_id: request_id }) => ({ request_id }),
  };

  constructor(
    private readonly peers: Peers,
    private readonly customers: Customers,
  ) {}

  async list(person_user_id: string): Promise<Requests> {
    const lists = await this.peers.gather(CONNECT_REQUEST_SUBJECTS.list, { person_user_id }, SEARCH);
    const all = lists.flatMap(({ reply }) => reply.requests);
    return onceEach(all, 'request_id', 'asked_at');
  }

  /** Accepts a request by connecting. That closes the request, in the transaction that makes the connection. @spec D1-6.1 */
  async accept(person_user_id: string, request_id: string, values: Values): Promise<Output<typeof contracts.acceptConnectRequest>> {
    const { code } = await this.peers.find(CONNECT_REQUEST_SUBJECTS.code, { person_user_id, request_id }, SEARCH);
    return this.customers.connect(person_user_id, code, values, request_id).catch((error: unknown) => {
      throw isGone(error) ? new Refusal('company_connections.request_not_found') : error;
    });
  }

  async reject(person_user_id: string, request_id: string): Promise<void> {
    await this.peers.find(CONNECT_REQUEST_SUBJECTS.reject, { person_user_id, request_id }, SEARCH);
  }
}

/** Refusals that say that a request waits no more: its service is gone or has another code, or the person has connected. */
const GONE = ['company_connections.service_not_found', 'company_connections.exists'];
const isGone = (error: unknown): boolean => error instanceof Refusal && GONE.includes(error.key);
