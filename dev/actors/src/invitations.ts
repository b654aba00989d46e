import { connectRequests, connections, type Output } from '@codase/contracts';
import { sealedAnswers, type Answers, type OwnConnection } from './connections.ts';
import type { Stranger } from './stranger.ts';

type Request = Output<typeof connectRequests.listConnectRequests>['items'][number];
type Asks = Pick<Stranger, 'asks'>;

/** How a person answers services that ask them to connect. @spec D1-6.1 */
export class Invitations {
  private readonly person: Asks;

  constructor(person: Asks) {
    this.person = person;
  }

  async lists(): Promise<Request[]> {
    return (await this.person.asks(connectRequests.listConnectRequests, {})).items;
  }

  /** Accepts and connects, with answers sealed to the key on the service's card. */
  async accepts(
    { request_id: requestId, service }: Pick<Request, 'request_id' | 'service'>,
    answers: Answers = {},
  ): Promise<OwnConnection> {
    const values = await sealedAnswers(service, answers);
    return this.person.asks(connectRequests.acceptConnectRequest, { params: { requestId }, body: { values } });
  }

  rejects({ request_id: requestId }: Pick<Request, 'request_id'>): Promise<unknown> {
    return this.person.asks(connectRequests.rejectConnectRequest, { params: { requestId } });
  }
}

/** Asks a person to connect to the service of a company's backend. @spec D1-4.2 */
export const invites = (backend: Asks, { share_code }: { share_code: string }, message?: string): Promise<{ request_id: string }> =>
  backend.asks(connections.requestConnection, { body: { share_code, ...(message !== undefined && { message }) } });
