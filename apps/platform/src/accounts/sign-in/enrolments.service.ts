import { Inject, Injectable } from '@nestjs/common';
import { DETACHED_MINUTES, REGION, Refusal, type identity, type Input } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { Modes } from '../../foundation/regions/index.ts';
import { hashGrantSecret } from '../../access/tokens/index.ts';
import { ClientAuthenticator } from '../../access/clients/index.ts';
import { includesApprovals, type AskingClient, type AuthorizationRequest } from './authorization-request.ts';
import { EnrolmentsStore, type Detached, type Outcome } from './enrolments.store.ts';

type Enrolment = Exclude<AuthorizationRequest, { goal: 'code' }>;

/** Enrols persons who agree to approve the logins of a service. No code is issued, and no scope is asked for. @spec D1-4.5 */
@Injectable()
export class Enrolments {
  constructor(
    private readonly store: EnrolmentsStore,
    private readonly clients: ClientAuthenticator,
    private readonly modes: Modes,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Begins a detached enrolment, whose result can be asked for from now on. */
  async begin(request: AuthorizationRequest): Promise<void> {
    if (request.goal === 'detached') await this.store.beginDetached(detachedOf(request), this.clock.now(), this.later());
  }

  /** Confirms an enrolment. A detached one is claimed before its region is asked, so that it is not denied in another tab meanwhile. */
  async confirm(request: Enrolment, person_user_id: string): Promise<void> {
    this.modes.checkWritable(request.client.region!);
    await this.decide(request, { from: 'waiting', to: 'enrolling' });
    try {
      await this.enrol(request.client, person_user_id);
    } catch (error) {
      await this.decide(request, { from: 'enrolling', to: 'waiting' });
      throw error;
    }
    await this.decide(request, { from: 'enrolling', to: 'enrolled' });
  }

  private async decide(request: Enrolment, move: { from: Outcome; to: Outcome }): Promise<void> {
    if (request.goal !== 'detached') return;
    if (!(await this.store.moveDetached(detachedOf(request), move, this.clock.now(), this.later()))) throw tooLate();
  }

  /** Has the company's region store the enrolment, with the connection at whose end the enrolment ends too. @spec D1-1 @gap D1-4.5 */
  private async enrol({ service_id, company_user_id, region, name, level }: AskingClient, person_user_id: string): Promise<void> {
    const wanted = {
      company_user_id: company_user_id!,
      service_id: service_id!,
      person_user_id,
      is_level_enough: includesApprovals(level!),
    };
    const { connection_id, code } = await this.bus.request(REGION.enrol, { region: region! }, wanted);
    if (connection_id !== null) return;
    throw new Refusal('twofa.connection_required').because(
      `You are not connected to ${name} yet: connect to ${code} in your app first, then allow this here.`,
    );
  }

  async deny(request: Enrolment): Promise<void> {
    this.modes.checkWritable(request.client.region!);
    await this.decide(request, { from: 'waiting', to: 'denied' });
  }

  /** Returns the outcome of a detached enrolment, until it expires: an answer may get lost, and it gives no right. @gap D1-4.5 */
  async poll({ state, ...credentials }: Input<typeof identity.pollResult>['body']): Promise<{ enrolled: boolean }> {
    const { client_id, region } = await this.clients.authenticate(credentials);
    if (region !== null) this.modes.checkWritable(region);
    const outcome = await this.store.outcomeOf({ client_id, state_hash: hashGrantSecret(state) }, this.clock.now());
    if (outcome === undefined)
      throw new Refusal('oauth.invalid_grant').because('No enrolment was begun with this state, or it is over: begin a new one');
    if (outcome === 'denied') throw new Refusal('oauth.access_denied').because('The person refused');
    return { enrolled: outcome === 'enrolled' };
  }

  private later(): Date {
    return new Date(this.clock.now().getTime() + DETACHED_MINUTES * 60_000);
  }
}

const detachedOf = ({ client, state }: Extract<AuthorizationRequest, { goal: 'detached' }>): Detached => ({
  client_id: client.client_id,
  state_hash: hashGrantSecret(state),
});

const tooLate = () =>
  new Refusal('oauth.invalid_request').because('This page is too old or was answered before: begin again where you came from');
