import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CONNECT_REQUEST_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import { ConnectionOperations, LOCK_WAIT_MS, unavailableWhenLocked, waitAtMost } from '../connections/index.ts';
import type { Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { emit } from '../../services/feed/index.ts';
import { findProfile, Home } from '../../foundation/regions/index.ts';
import { findService } from '../../services/services/index.ts';
import { answerEvent, phoneEvent } from './events.ts';
import { forgottenBefore, isOpen } from './may-ask.ts';
import { METRICS } from './metrics.ts';
import { findRequest, listOpen, lockRequest, rejectRequest } from './requests.store.ts';
import type { ConnectRequestEntity } from './connect-request.entity.ts';

type Subjects = typeof CONNECT_REQUEST_SUBJECTS;

/** Handles the answers of persons, of this region or another, to services of companies that live here. @spec D1-6.1 */
@Injectable()
export class ConnectRequestAnswers implements Handlers<Omit<Subjects, 'noteAsking'>> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly operations: ConnectionOperations,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list({ person_user_id }: MessageOf<Subjects['list']>): Promise<ReplyOf<Subjects['list']>> {
    const rows = await listOpen(this.db, person_user_id, forgottenBefore(this.clock.now()));
    return { requests: await Promise.all(rows.map((row) => this.present(row))) };
  }

  /** Returns the code by which the person connects to the service that asked. */
  async code({ person_user_id, request_id }: MessageOf<Subjects['code']>): Promise<ReplyOf<Subjects['code']>> {
    const request = await findRequest(this.db, person_user_id, request_id);
    if (!request || !isOpen(request, this.clock.now())) throw notFound();
    await this.home.check(request.company_user_id);
    const { share_code } = await findService(this.db, request);
    const company = await findProfile(this.db, request.company_user_id);
    return { code: `${company!.share_code}/${share_code}` };
  }

  /** Rejects a request, once. It is rolled back when the caller has stopped waiting: the person then sees that it failed. */
  async reject({ person_user_id, request_id }: MessageOf<Subjects['reject']>, withinMs = Infinity): Promise<null> {
    const deadline = performance.now() + withinMs;
    const rejecting = this.home.transaction(async (tx) => {
      const found = await findRequest(tx, person_user_id, request_id);
      if (!found) throw notFound();
      await waitAtMost(tx, LOCK_WAIT_MS);
      await this.home.remains(tx, found.company_user_id);
      const request = await lockRequest(tx, request_id);
      const now = this.clock.now();
      if (!request || !isOpen(request, now)) throw notFound();
      await rejectRequest(tx, request_id, now);
      const { company_user_id: account_id } = request;
      await this.audit.record(tx, { act: 'connection_request.rejected', account_id, object: request_id, initiator: person_user_id });
      await emit(tx, [answerEvent('connection_request_rejected', request, now)]);
      await emitAppEvents(tx, [phoneEvent('connection_request_closed', request, now)]);
      if (performance.now() > deadline) throw new Refusal('service.unavailable');
    });
    await rejecting.catch((error: unknown) => {
      throw unavailableWhenLocked(error);
    });
    count(METRICS.answered, { 'codase.outcome': 'rejected' });
    return null;
  }

  private async present(row: ConnectRequestEntity) {
    const { request_id, message, asked_at } = row;
    return { request_id, service: await this.card(row), message, asked_at: asked_at.toISOString() };
  }

  private async card({ company_user_id, service_id }: ConnectRequestEntity) {
    const { share_code: service_code } = await findService(this.db, { company_user_id, service_id });
    return this.operations.card(this.db.manager, { company_user_id, service_code, type: 'person' });
  }
}

const notFound = () => new Refusal('company_connections.request_not_found');
