import { connectRequests, type Output } from '@codase/contracts';
import { sealedAnswers, type Answers, type OwnConnection } from './connections.ts';
import { Facet } from './stranger.ts';

type Request = Output<typeof connectRequests.listConnectRequests>['items'][number];

/** How a person answers services that ask them to connect. @spec D1-6.1 */
export class Invitations extends Facet {
  async lists(): Promise<Request[]> {
    return (await this.actor.asks(connectRequests.listConnectRequests, {})).items;
  }

  /** Accepts and connects, with answers sealed to the key on the service's card. */
  async accepts(
    { request_id: requestId, service }: Pick<Request, 'request_id' | 'service'>,
    answers: Answers = {},
  ): Promise<OwnConnection> {
    const values = await sealedAnswers(service, answers);
    return this.actor.asks(connectRequests.acceptConnectRequest, { params: { requestId }, body: { values } });
  }

  rejects({ request_id: requestId }: Pick<Request, 'request_id'>): Promise<unknown> {
    return this.actor.asks(connectRequests.rejectConnectRequest, { params: { requestId } });
  }
}
