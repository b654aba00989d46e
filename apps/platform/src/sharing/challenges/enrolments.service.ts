import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CHALLENGE_SUBJECTS, type REGION } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { findById, holdConnectionWith, type ConnectionEnds, type ConnectionRow } from '../connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { findProfile, Home, writeIfHome } from '../../foundation/regions/index.ts';
import { holdService, type OwnService, type ServiceClientEnds } from '../../services/services/index.ts';
import { lockOfConnection, lockOfService } from './challenges.store.ts';
import { ChallengeCloser } from './challenge-closer.service.ts';
import { addEnrolment, findEnrolment, listEnrolments, removeEnrolment } from './enrolments.store.ts';

type Wanted = MessageOf<typeof REGION.enrol>;

/** Begins and ends enrolments for services of companies that live here: whoever is enrolled approves logins. @spec D1-4.5 @gap D1-4.5 */
@Injectable()
export class Enrolments implements ConnectionEnds, ServiceClientEnds {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly closing: ChallengeCloser,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Enrols a person who is connected to the service. Refuses while the company moves, when this cannot be known. @spec D1-1 */
  enrol(wanted: Wanted): Promise<ReplyOf<typeof REGION.enrol>> {
    return this.home.write(wanted.company_user_id, (tx) => this.enrolIn(tx, wanted)).catch(whileItMoves);
  }

  private async enrolIn(tx: EntityManager, { person_user_id, is_level_enough, ...own }: Wanted): Promise<ReplyOf<typeof REGION.enrol>> {
    const service = await holdService(tx, own);
    const company = await findProfile(tx, own.company_user_id);
    const code = `${company!.share_code}/${service.share_code}`;
    const connection = await holdConnectionWith(tx, own, person_user_id);
    if (!connection) return { connection_id: null, code };
    const { connection_id, share_code } = connection;
    if (await findEnrolment(tx, own.service_id, person_user_id)) return { connection_id, code };
    if (!is_level_enough) throw levelRequired();
    const enrolment = { ...own, enrolment_id: newId('enr'), connection_id, person_user_id, share_code, enrolled_at: this.clock.now() };
    if (await addEnrolment(tx, enrolment)) {
      const { company_user_id: account_id, enrolment_id: object } = enrolment;
      await this.audit.record(tx, { act: 'enrolment.created', account_id, object, initiator: person_user_id });
    }
    return { connection_id, code };
  }

  /** Takes over the enrolments that the front door kept, whatever level the company has by now. */
  async take({ enrolments }: MessageOf<typeof REGION.takeEnrolments>): Promise<ReplyOf<typeof REGION.takeEnrolments>> {
    const [taken, later]: [string[], string[]] = [[], []];
    for (const { connection_id, enrolled_at } of enrolments) {
      const connection = await findById(this.db, connection_id);
      if (!connection) continue;
      const isTaken = await writeIfHome(this.db, connection.company_user_id, (tx) => this.takeOne(tx, connection, new Date(enrolled_at)));
      (isTaken ? taken : later).push(connection_id);
    }
    return { taken, later };
  }

  private async takeOne(tx: EntityManager, known: ConnectionRow, enrolled_at: Date): Promise<true> {
    const connection = await holdConnectionWith(tx, known, known.customer_user_id);
    if (connection?.connection_id !== known.connection_id) return true; // the connection has ended meanwhile, and the enrolment with it
    const { company_user_id, service_id, connection_id, customer_user_id: person_user_id, share_code } = connection;
    const enrolment_id = newId('enr');
    await addEnrolment(tx, { enrolment_id, company_user_id, service_id, connection_id, person_user_id, share_code, enrolled_at });
    return true;
  }

  async list({ person_user_id }: { person_user_id: string }): Promise<ReplyOf<typeof CHALLENGE_SUBJECTS.enrolments>> {
    return { enrolments: await listEnrolments(this.db, person_user_id) };
  }

  /** Ends an enrolment for its person, who may do so at any time. Enrolling again needs a new consent. @spec D1-3.2 */
  async revoke({ person_user_id, service_id }: MessageOf<typeof CHALLENGE_SUBJECTS.revokeEnrolment>): Promise<null> {
    await this.home.transaction(async (tx) => {
      const enrolment = await findEnrolment(tx, service_id, person_user_id);
      if (!enrolment) throw new Refusal('twofa.not_enrolled');
      await this.home.remains(tx, enrolment.company_user_id);
      if (!(await this.end(tx, enrolment.connection_id))) throw new Refusal('twofa.not_enrolled');
    });
    return null;
  }

  async connectionEnds(tx: EntityManager, { connection_id }: ConnectionRow): Promise<void> {
    await this.remove(tx, connection_id);
    await lockOfConnection(tx, connection_id);
  }

  async informOfEnd(tx: EntityManager, { connection_id }: ConnectionRow): Promise<void> {
    await this.closing.close(tx, await lockOfConnection(tx, connection_id), 'revoke', this.clock.now());
  }

  /** Revokes the pending challenges of a service, locked by the caller, whose client ends: nobody waits for an answer. */
  async serviceClientEnds(tx: EntityManager, { service_id }: OwnService): Promise<void> {
    await this.closing.close(tx, await lockOfService(tx, service_id), 'revoke', this.clock.now());
  }

  /** Ends an enrolment, and then its challenges: the deletion waits for one that is just being raised, so it is revoked too. */
  private async end(tx: EntityManager, connection_id: string): Promise<boolean> {
    const isEnded = await this.remove(tx, connection_id);
    await this.closing.close(tx, await lockOfConnection(tx, connection_id), 'revoke', this.clock.now());
    return isEnded;
  }

  private async remove(tx: EntityManager, connection_id: string): Promise<boolean> {
    const ended = await removeEnrolment(tx, connection_id);
    if (!ended) return false;
    const { company_user_id: account_id, enrolment_id: object } = ended;
    await this.audit.record(tx, { act: 'enrolment.revoked', account_id, object });
    return true;
  }
}

/** The refusal of a new enrolment. Persons who are already enrolled stay so, whatever happens to the level. @spec D1-4.5 */
const levelRequired = () => new Refusal('account.level_required').because('The company needs the pro level to enrol persons for approvals');

function whileItMoves(error: unknown): never {
  throw error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal('service.unavailable') : error;
}
