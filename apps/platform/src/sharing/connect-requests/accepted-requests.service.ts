import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import type { ConnectionBegins, ConnectionRow } from '../connections/index.ts';
import { emit } from '../../services/feed/index.ts';
import { answerEvent, phoneEvent } from './events.ts';
import { isOpen } from './may-ask.ts';
import { METRICS } from './metrics.ts';
import { lockInvitedPerson, lockRequestTo, removeRequest } from './requests.store.ts';

/** Removes the request of a service when the person connects, which accepts an open request. @spec D1-6.1 */
@Injectable()
export class AcceptedRequests implements ConnectionBegins {
  async connectionBegins(
    tx: EntityManager,
    { service_id, customer_user_id, customer_type }: ConnectionRow,
    at: Date,
    accepted?: string,
  ): Promise<void> {
    if (customer_type !== 'person') return;
    await lockInvitedPerson(tx, customer_user_id);
    const request = await lockRequestTo(tx, service_id, customer_user_id);
    if (accepted !== undefined && (request?.request_id !== accepted || !isOpen(request, at)))
      throw new Refusal('company_connections.request_not_found');
    if (!request) return;
    await removeRequest(tx, request.request_id);
    if (!isOpen(request, at)) return;
    await emit(tx, [answerEvent('connection_request_accepted', request, at)]);
    await emitAppEvents(tx, [phoneEvent('connection_request_closed', request, at)]);
    count(METRICS.answered, { 'codase.outcome': 'accepted' });
  }
}
