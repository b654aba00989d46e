import { Inject, Injectable } from '@nestjs/common';
import { identity, Refusal, withoutGroups, type Input, type Page } from '@codase/contracts';
import type { Call } from '@codase/runtime/http';
import { identifyInitiator } from '@codase/runtime/initiator';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { Audit } from '../../foundation/audit/index.ts';
import { AccountsStore, PasswordCheck, type AccountRow, type PasswordAttempt } from '../../access/identity/index.ts';
import { BASES, Modes, type Bases } from '../../foundation/regions/index.ts';
import { SecondFactorCheck, TrustedBrowsers } from '../../access/second-factor/index.ts';
import { AppSignIns } from '../sign-in-apps/index.ts';
import { LocalSessions, type SignInProof } from '../../access/tokens/index.ts';
import { AskingClients } from './asking-clients.service.ts';
import {
  asksNothing,
  FaultOfClient,
  isFirstParty,
  readRequest,
  redirectWith,
  shownBy,
  wrongAccount,
  type AuthorizationQuery,
  type AuthorizationRequest,
  type WayBack,
} from './authorization-request.ts';
import { Enrolments } from './enrolments.service.ts';
import { codePage, faultPage, notSignedInPage, signInPage, waitingPage } from './pages.ts';
import { CodeRequired, RefusedAuthorization, RepeatableSignIn } from './repeatable-sign-in.ts';
import { hasSignedIn, signedInCookie } from './signed-in-cookie.ts';
import { SignInStepsStore } from './sign-in-steps.store.ts';
import { readWaiting, waitingCookie } from './waiting-cookie.ts';

const WRONG = 'The e-mail address or the password is wrong.';
const WRONG_CODE = 'The code is wrong or was used before: enter the one that your authenticator shows next.';
const TOO_LATE = 'This took too long, or was answered before: sign in again.';
const CHANGED = 'The app has just changed what it asks for: read it again.';

/** The second step of a sign-in, as it was submitted. */
interface CodeStep {
  step: string;
  code: string;
  address: string;
}

/** What a user gave who is signed in now: the network address that it came from, what signed the user in, and the browser's cookies. */
interface Given {
  address: string;
  proof: SignInProof;
  cookies: string | string[] | undefined;
}

type Submitted = Input<typeof identity.authorize>['body'];

/** Where a browser goes, and the cookies that it keeps. */
interface Sent {
  location: string;
  set_cookie?: string[];
}

/** A sign-in that waits for the phone, as a browser names it. */
interface Waiting {
  sign_in: string;
  cookies: string | undefined;
}

/** Signs in a user whom a client has sent here in a browser. @spec D1-4.1 @spec D1-5.5 */
@Injectable()
export class SignIn {
  constructor(
    private readonly clients: AskingClients,
    private readonly accounts: AccountsStore,
    private readonly passwords: PasswordCheck,
    private readonly secondFactor: SecondFactorCheck,
    private readonly browsers: TrustedBrowsers,
    private readonly steps: SignInStepsStore,
    private readonly sessions: LocalSessions,
    private readonly enrolments: Enrolments,
    private readonly modes: Modes,
    @Inject(BASES) private readonly bases: Bases,
    private readonly audit: Audit,
    private readonly apps: AppSignIns,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns the page that asks the user to sign in, or the answer to a client that wants no page. */
  async begin(query: AuthorizationQuery, cookies: Given['cookies']): Promise<Page> {
    try {
      const request = await this.requestOf(query);
      if (request.goal === 'code' && asksNothing(query)) return this.answerSilent(request, cookies);
      await this.enrolments.begin(request);
      return signInPage(request, query);
    } catch (error) {
      if (error instanceof FaultOfClient) return this.answerFault(error, cookies);
      throw error;
    }
  }

  private answerSilent(request: Extract<AuthorizationRequest, { goal: 'code' }>, cookies: Given['cookies']): Page {
    const location = this.refusedAt(request, { error: 'login_required' });
    return this.isKnown(request, cookies) ? { html: '', location } : { html: notSignedInPage(request, location) };
  }

  private answerFault(fault: FaultOfClient, cookies: Given['cookies']): Page {
    const location = this.refusedAt(fault.back, fault.parameters);
    if (this.isKnown(fault.back, cookies)) return { html: '', location };
    throw new RefusedAuthorization(fault, { html: faultPage(fault, location) });
  }

  /**
   * Whether a browser may be sent back without a page: it has signed in to the client before. Any other is shown where it would go: whoever
   * registers a client would have an address of ours that leads anywhere. @gap D1-4.6
   */
  private isKnown({ client }: Pick<WayBack, 'client'>, cookies: Given['cookies']): boolean {
    return isFirstParty(client) || hasSignedIn(cookies, client.client_id);
  }

  /** Returns the address to which the browser goes with the answer, and the cookies that it keeps. */
  async submit(
    { email, password, step, code, trust_browser, decision, shown, ...query }: Submitted,
    { address, headers }: Pick<Call, 'address' | 'headers'>,
  ): Promise<Sent> {
    const request = await this.requestOf(query);
    if (decision === 'deny') return { location: await this.deny(request) };
    if (shown !== '' && shown !== shownBy(request))
      throw new RepeatableSignIn(CHANGED, signInPage(request, query, { email, problem: CHANGED }));
    if (step !== '') {
      const account = await this.accountOfStep(request, query, { step, code, address });
      const sent = await this.admit(request, query, account, { address, proof: 'code', cookies: headers['cookie'] });
      const trust = trust_browser && (await this.browsers.trust(account, headers));
      return trust === undefined ? sent : { ...sent, set_cookie: [...(sent.set_cookie ?? []), trust] };
    }
    const account = await this.accountOf(request, query, { email, password, address });
    const proof = await this.proofOf(account, headers);
    if (proof === undefined) throw await this.codeRequired(request, query, account);
    return this.admit(request, query, account, { address, proof, cookies: headers['cookie'] });
  }

  /** Returns what signs in an account whose password was right; undefined when a code is asked for. */
  private async proofOf({ user_id }: AccountRow, headers: Call['headers']): Promise<SignInProof | undefined> {
    if (!(await this.secondFactor.isOn(user_id))) return 'password';
    return (await this.browsers.isTrusted(user_id, headers)) ? 'trusted_browser' : undefined;
  }

  /** Signs in, or enrols, the account of a user who has given all that is asked for. */
  private async admit(
    request: AuthorizationRequest,
    query: AuthorizationQuery,
    account: AccountRow,
    { address, proof, cookies }: Given,
  ): Promise<Sent> {
    await this.passwords.signedIn(account, address);
    const { email } = account;
    if (request.goal !== 'code') {
      const location = await this.enrol(request, account).catch((error: unknown) => {
        throw offerToConnect(error, (problem) => signInPage(request, query, { email, problem }));
      });
      return { location };
    }
    const sent = await this.signIn(request, account, proof);
    if (!sent) throw new RepeatableSignIn(WRONG, signInPage(request, query, { email, problem: WRONG }));
    if (isFirstParty(request.client)) return sent;
    const known = signedInCookie(cookies, request.client.client_id, this.bases.front_door_url.startsWith('https:'));
    return { ...sent, set_cookie: [...(sent.set_cookie ?? []), known] };
  }

  /** Begins the second step of a sign-in, for an account whose password was right. */
  private async codeRequired(request: AuthorizationRequest, query: AuthorizationQuery, account: AccountRow): Promise<CodeRequired> {
    const { user_id, password_hash } = account;
    const step = await this.steps.begin({ user_id, password_hash: password_hash! }, query, this.clock.now());
    return new CodeRequired(step, codePage(request, query, step));
  }

  /**
   * Returns the account whose sign-in a step completes, when the code is right. The step stays after a wrong code, and while codes have to
   * wait. It ends with its first right code, and counts no more when the password has changed or the second factor is off. What can be
   * refused without the code is refused before it, so that the code is not used up.
   */
  private async accountOfStep(
    request: AuthorizationRequest,
    query: AuthorizationQuery,
    { step, code, address }: CodeStep,
  ): Promise<AccountRow> {
    identifyInitiator({ client_id: request.client.client_id });
    const begun = await this.steps.find(step, query, this.clock.now());
    const account = begun && (await this.accounts.find(begun.user_id));
    if (!account || account.password_hash !== begun.password_hash) throw this.stepOver(request, query);
    if (!(await this.secondFactor.isOn(account.user_id))) throw this.stepOver(request, query);
    this.checkAllowed(request, query, account);
    this.checkServed(request, account);
    const attempt = { user_id: account.user_id, code: withoutGroups(code), address };
    if (!(await this.secondFactor.check(attempt))) throw new CodeRequired(step, codePage(request, query, step, WRONG_CODE), WRONG_CODE);
    if (!(await this.steps.use(step))) throw this.stepOver(request, query);
    return account;
  }

  /** Refuses while the region that has to serve the request does not. */
  private checkServed(request: AuthorizationRequest, { region }: AccountRow): void {
    if (request.goal !== 'code') this.modes.checkWritable(request.client.region!);
    else if (request.client.region === null) this.modes.checkInOrder(region);
  }

  private stepOver(request: AuthorizationRequest, query: AuthorizationQuery): RepeatableSignIn {
    return new RepeatableSignIn(TOO_LATE, signInPage(request, query, { problem: TOO_LATE }));
  }

  /** Reads the request, and refuses it while its region is out of order; users sign in while writes are paused. @spec D1-7 @gap D1-7 */
  private async requestOf(query: AuthorizationQuery): Promise<AuthorizationRequest> {
    const request = readRequest(await this.clients.find(query.client_id), query);
    if (request.client.region !== null) this.modes.checkInOrder(request.client.region);
    return request;
  }

  /** Returns the account that signs in. A wrong password is not recorded here, because `PasswordCheck` has recorded it in the audit. */
  private async accountOf(request: AuthorizationRequest, query: AuthorizationQuery, attempt: PasswordAttempt): Promise<AccountRow> {
    const { client_id } = request.client;
    identifyInitiator({ client_id });
    const account = await this.passwords.check(attempt);
    if (!account) throw new RepeatableSignIn(WRONG, signInPage(request, query, { email: attempt.email, problem: WRONG }));
    this.checkAllowed(request, query, account);
    return account;
  }

  /** Refuses an account that is disabled, or that cannot complete this request. */
  private checkAllowed(request: AuthorizationRequest, query: AuthorizationQuery, account: AccountRow): void {
    const { user_id: account_id, email } = account;
    const problem = disabledAccount(account) ?? wrongAccount(request, account);
    if (problem === undefined) return;
    this.audit.refused({ act: 'sign_in', outcome: 'oauth.access_denied', client_id: request.client.client_id, account_id });
    throw new RepeatableSignIn(problem, signInPage(request, query, { email, problem }));
  }

  /** Returns undefined when the password was changed after it was checked. */
  private async signIn(
    { client, redirect_uri, state, nonce, code_challenge }: Extract<AuthorizationRequest, { goal: 'code' }>,
    { user_id, region, password_hash }: AccountRow,
    proof: SignInProof,
  ): Promise<Sent | undefined> {
    if (client.region === null) this.modes.checkInOrder(region);
    const { front_door_url: iss } = this.bases;
    const { client_id, epoch, app } = client;
    const session = { client_id, epoch, user_id, password_hash, redirect_uri, code_challenge, proof };
    if (!app) {
      const code = await this.sessions.begin(session);
      return code === undefined ? undefined : { location: redirectWith(redirect_uri, { code, state, iss }) };
    }
    const begun = await this.apps.begin({ ...session, region, state, nonce, app });
    if (!begun) return undefined;
    const { sign_in, code, waits } = begun;
    if (!waits) return { location: redirectWith(redirect_uri, { code, state, iss }) };
    return { location: this.waitingAt(sign_in), set_cookie: [waitingCookie(sign_in, code, iss.startsWith('https:'))] };
  }

  /** Returns the page that waits for the phone, or that has the person go on after the answer. */
  async awaitPhone({ sign_in, cookies }: Waiting): Promise<Page> {
    return waitingPage(await this.apps.read(readWaiting(cookies, sign_in)), sign_in);
  }

  /** Returns the address to which a sign-in goes on that waited for the phone. */
  async continue({ sign_in, cookies }: Waiting): Promise<string> {
    const { status, code, ...led } = await this.apps.lead(readWaiting(cookies, sign_in));
    const back = { redirect_uri: led.redirect_uri, state: led.state ?? undefined };
    if (status === 'waiting') return this.waitingAt(sign_in);
    if (status !== 'approved' && status !== 'done') return this.refusedAt(back);
    return redirectWith(back.redirect_uri, { code, state: back.state, iss: this.bases.front_door_url });
  }

  private waitingAt(sign_in: string): string {
    return redirectWith(`${this.bases.front_door_url}${identity.awaitPhone.path}`, { sign_in });
  }

  private async enrol(request: Exclude<AuthorizationRequest, { goal: 'code' }>, { user_id }: AccountRow): Promise<string> {
    await this.enrolments.confirm(request, user_id);
    return request.goal === 'detached'
      ? this.done('enrolled')
      : redirectWith(request.redirect_uri, { enrolled: 'true', state: request.state });
  }

  private async deny(request: AuthorizationRequest): Promise<string> {
    if (request.goal !== 'code') await this.enrolments.deny(request);
    if (request.goal === 'detached') return this.done('denied');
    return this.refusedAt(request);
  }

  private refusedAt(
    { redirect_uri, state }: Omit<WayBack, 'client'>,
    refusal: { error: string; error_description?: string } = { error: 'access_denied' },
  ): string {
    return redirectWith(redirect_uri, { ...refusal, state, iss: this.bases.front_door_url });
  }

  private done(outcome: 'enrolled' | 'denied'): string {
    return `${this.bases.front_door_url}${identity.authorizationDone.path}?outcome=${outcome}`;
  }
}

/** Returns a text for the user when the account is disabled. Only a user who has the password learns of it. */
const disabledAccount = ({ disabled_at }: AccountRow): string | undefined =>
  disabled_at === null ? undefined : 'This account is disabled. Ask the operator of this service.';

/** Makes a page of the refusal that a connection is required, which takes the answer after connecting. @gap D1-4.5 */
function offerToConnect(error: unknown, pageWith: (problem: string) => Page): unknown {
  if (!(error instanceof Refusal) || error.key !== 'twofa.connection_required') return error;
  return new RepeatableSignIn(error.message, pageWith(error.message), error.key);
}
