import { Inject, Injectable } from '@nestjs/common';
import { CONNECT_REQUEST_SUBJECTS, FRONT_DOOR, Refusal, type Input, type connections as contracts } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { emitAppEvents } from '../../foundation/app-events/index.ts';
import { Peers, type Handlers } from '../../foundation/peers/index.ts';
import { holdConnectionWith } from '../connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { FrontDoorRequests, holdAccount, Home, isDeletedAccount } from '../../foundation/regions/index.ts';
import { holdService, type OwnService } from '../../services/services/index.ts';
import { phoneEvent } from './events.ts';
import { checkMayAsk, forgottenBefore, isOpen } from './may-ask.ts';
import { METRICS } from './metrics.ts';
import { countOpen, lockInvitedPerson, lockRequestTo, noteAsking, putRequest } from './requests.store.ts';

type Subjects = typeof CONNECT_REQUEST_SUBJECTS;
type Wanted = Input<typeof contracts.requestConnection>['body'];

/** Lets a service ask a person to connect. A request shares nothing. @spec D1-4.2 */
@Injectable()
export class ConnectRequestSender implements Handlers<Pick<Subjects, 'noteAsking'>> {
  constructor(
    private readonly home: Home,
    private readonly frontDoor: FrontDoorRequests,
    private readonly peers: Peers,
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Asks a person to connect. A second call is answered with the request that waits, with the message it had. */
  async ask(service: OwnService, { share_code, message }: Wanted): Promise<{ request_id: string }> {
    const { type, user_id: person_user_id, region } = await this.frontDoor.request(FRONT_DOOR.whoHas, {}, { share_code });
    if (type !== 'person') throw new Refusal('company_connections.persons_only').withStatus(400).because('This code is of a company');
    // The note comes first: an unneeded note does no harm, but a request that the home region does not know of would never be seen.
    await this.peers.call(CONNECT_REQUEST_SUBJECTS.noteAsking, region, { person_user_id, company_user_id: service.company_user_id });
    const request = { person_user_id, share_code, message: message ?? null };
    const { request_id, isNew } = await this.home.write(service.company_user_id, (tx) => this.askIn(tx, service, request));
    if (isNew) count(METRICS.requested);
    return { request_id };
  }

  /** Notes that a company is about to ask a person who is at home here. */
  async noteAsking({ person_user_id, company_user_id }: MessageOf<Subjects['noteAsking']>): Promise<null> {
    await noteAsking(this.db, person_user_id, company_user_id, this.clock.now());
    return null;
  }

  private async askIn(
    tx: EntityManager,
    { company_user_id, service_id }: OwnService,
    requested: { person_user_id: string; share_code: string; message: string | null },
  ): Promise<{ request_id: string; isNew: boolean }> {
    const { person_user_id } = requested;
    if (await isDeletedAccount(tx, person_user_id)) throw new Refusal('keys.not_found');
    await holdAccount(tx, person_user_id);
    const { audience } = await holdService(tx, { company_user_id, service_id });
    if (audience === 'b2b') throw new Refusal('services.audience_b2b_only').because('This service is for companies: no person can connect');
    // A person who connects takes the same lock, so the connection is seen here, or this request is seen there.
    await lockInvitedPerson(tx, person_user_id);
    if (await holdConnectionWith(tx, { company_user_id, service_id }, person_user_id)) {
      throw new Refusal('company_connections.exists').because('This person is already connected to the service');
    }
    const now = this.clock.now();
    const before = await lockRequestTo(tx, service_id, person_user_id);
    if (before && isOpen(before, now)) return { request_id: before.request_id, isNew: false };
    checkMayAsk(before, await countOpen(tx, person_user_id, forgottenBefore(now)), now);
    const request = { request_id: newId('creq'), company_user_id, service_id, ...requested, asked_at: now };
    await putRequest(tx, request);
    await emitAppEvents(tx, [phoneEvent('connection_requested', request, now)]);
    return { request_id: request.request_id, isNew: true };
  }
}
