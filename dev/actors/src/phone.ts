import { appEvents, approvals, identity, phones, phoneSignIns, type Output } from '@codase/contracts';
import type { Backend } from './backend.ts';
import { Listening } from './listening.ts';
import type { SecondFactor } from './second-factor.ts';
import { Facet, type CallOptions, type Stranger } from './stranger.ts';

type Card = Output<typeof approvals.listChallenges>['items'][number];

/** The owner of the phone, and the credentials to sign in on a page. */
interface Owner extends Pick<Stranger, 'asks' | 'follows'> {
  readonly email: string;
  readonly password: string;
  readonly secondFactor: Pick<SecondFactor, 'submits'>;
}

/** The phone of a person who approves logins. @spec D1-3.1 @gap D1-4.5 */
export class Phone extends Facet<Owner> {
  private consents = 0;

  /** Agrees in a browser to approve the logins of a service, which the person must be connected to. @spec D1-4.5 */
  async enrols({ client_id }: Pick<Backend, 'client_id'>): Promise<void> {
    const { email, password } = this.actor;
    const state = `phone-${email}-${Date.now()}-${++this.consents}`;
    const query = { client_id, mode: '2fa_enroll', response_mode: 'detached', state } as const;
    await this.actor.asks(identity.beginAuthorization, { query });
    await this.actor.secondFactor.submits({ ...query, email, password });
  }

  /** Opens a stream of events: from now on, or after the event with the id `after`. */
  listens({ after, ...options }: CallOptions & { after?: string } = {}): Listening {
    const headers = after === undefined ? {} : { 'last-event-id': after };
    return new Listening((signal) => this.actor.follows(appEvents.streamAppEvents, { headers }, { ...options, signal }));
  }

  /** Asks for the events since `after`, as a phone without a stream does. */
  polls(after?: string, options: CallOptions = {}): Promise<Output<typeof appEvents.listAppEvents>> {
    return this.actor.asks(appEvents.listAppEvents, { query: { ...(after !== undefined && { after }) } }, options);
  }

  async cards(): Promise<Card[]> {
    return (await this.actor.asks(approvals.listChallenges, {})).items;
  }

  /** Approves after unlocking the phone. `digits` are the ones that the login page shows. */
  approves({ challenge_id }: Pick<Card, 'challenge_id'>, { digits, gate = 'biometric' }: Approval = {}) {
    const body = { gate, ...(digits !== undefined && { digits }) };
    return this.actor.asks(approvals.approveChallenge, { params: { challengeId: challenge_id }, body });
  }

  denies({ challenge_id }: Pick<Card, 'challenge_id'>): Promise<Output<typeof approvals.denyChallenge>> {
    return this.actor.asks(approvals.denyChallenge, { params: { challengeId: challenge_id } });
  }

  async enrolments(): Promise<Output<typeof approvals.listEnrolments>['items']> {
    return (await this.actor.asks(approvals.listEnrolments, {})).items;
  }

  /** Lists the sign-ins with apps of companies that wait for an answer. */
  async signIns(): Promise<Output<typeof phoneSignIns.listSignIns>['items']> {
    return (await this.actor.asks(phoneSignIns.listSignIns, {})).items;
  }

  /** Gives an app the values that it asks for, as the phone has sealed them or in the clear. */
  approvesSignIn(signInId: string, values: Record<string, string>): Promise<unknown> {
    return this.actor.asks(phoneSignIns.approveSignIn, { params: { signInId }, body: { values } });
  }

  /** Gets a pass for the plugins that answer claims of a sign-in. */
  passForSignIn(signInId: string): Promise<Output<typeof phoneSignIns.issueSignInPluginPass>> {
    return this.actor.asks(phoneSignIns.issueSignInPluginPass, { params: { signInId } });
  }

  deniesSignIn(signInId: string): Promise<unknown> {
    return this.actor.asks(phoneSignIns.denySignIn, { params: { signInId } });
  }

  /** Registers the phone whose session this is, and gets the wrapped key. */
  registers(name: string, options: CallOptions = {}): Promise<Output<typeof phones.addPhone>> {
    return this.actor.asks(phones.addPhone, { body: { name } }, options);
  }

  async phones(): Promise<Output<typeof phones.listPhones>['items']> {
    return (await this.actor.asks(phones.listPhones, {})).items;
  }

  removes({ id: deviceId }: { id: string }): Promise<unknown> {
    return this.actor.asks(phones.removePhone, { params: { deviceId } });
  }

  /** Asks to delete the account, upon which a code is mailed. With a second factor, a code of it is needed here too. */
  requestsDeletion(secrets: { password?: string; code?: string } = {}): Promise<Output<typeof phones.requestPersonDeletion>> {
    return this.actor.asks(phones.requestPersonDeletion, { body: { password: this.actor.password, ...secrets } });
  }

  confirmsDeletion(code: string): Promise<unknown> {
    return this.actor.asks(phones.confirmPersonDeletion, { body: { code } });
  }

  /** Ends an enrolment, so that the service can challenge the person no more. */
  revokes(service_id: string): Promise<unknown> {
    return this.actor.asks(approvals.revokeEnrolment, { params: { serviceId: service_id } });
  }
}

interface Approval {
  digits?: string | undefined;
  gate?: 'biometric' | 'passcode';
}
