import { Controller, Inject } from '@nestjs/common';
import { identity, type Caller, type Input, type Page, Refusal } from '@codase/contracts';
import { RefusesWith, Serves, type Call } from '@codase/runtime/http';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { Enrolments } from './enrolments.service.ts';
import { busyWaitingPage, donePage, refusalPage } from './pages.ts';
import { SignIn } from './sign-in.service.ts';
import { CodeRequired, RefusedAuthorization, RepeatableSignIn } from './repeatable-sign-in.ts';

/** The refusals that have a page of their own. */
const WITH_PAGE = [RepeatableSignIn, CodeRequired, RefusedAuthorization];

/** Returns the page of a refusal, with the form again when the user can correct the input. */
const refusedPage = (refusal: Refusal): Page =>
  WITH_PAGE.some((kind) => refusal instanceof kind) ? (refusal as RepeatableSignIn).page : { html: refusalPage(refusal) };

/** Returns the waiting page again when there are too many requests, or something is away for a moment: it must not give up. */
const waitingRefusedPage = (refusal: Refusal): Page =>
  refusal.status === 429 || refusal.status === 503 ? busyWaitingPage() : refusedPage(refusal);

/** Sign-in and consent in a browser, at the front door. @spec D1-4.1 @spec D1-4.5 */
@Controller()
export class SignInHttp {
  constructor(
    private readonly signIn: SignIn,
    private readonly enrolments: Enrolments,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  @Serves(identity.beginAuthorization)
  @RefusesWith(refusedPage)
  async begin({ query }: Input<typeof identity.beginAuthorization>, _: Caller<typeof identity.beginAuthorization>, { headers }: Call) {
    return this.signIn.begin(query, headers['cookie']);
  }

  @Serves(identity.authorize)
  @RefusesWith(refusedPage)
  async submit({ body }: Input<typeof identity.authorize>, _: Caller<typeof identity.authorize>, call: Call) {
    checkOwnPage(this.bases.front_door_url, call.headers);
    return this.signIn.submit(body, call);
  }

  @Serves(identity.awaitPhone)
  @RefusesWith(waitingRefusedPage)
  awaitPhone({ query: { sign_in }, headers: { cookie: cookies } }: Input<typeof identity.awaitPhone>) {
    return this.signIn.awaitPhone({ sign_in, cookies });
  }

  @Serves(identity.continueSignIn)
  @RefusesWith(waitingRefusedPage)
  async continue(
    { query: { sign_in }, headers: { cookie: cookies } }: Input<typeof identity.continueSignIn>,
    _: Caller<typeof identity.continueSignIn>,
    { headers }: Call,
  ) {
    checkOwnPage(this.bases.front_door_url, headers);
    return { location: await this.signIn.continue({ sign_in, cookies }) };
  }

  @Serves(identity.authorizationDone)
  @RefusesWith(refusedPage)
  done({ query }: Input<typeof identity.authorizationDone>) {
    return { html: donePage(query.outcome) };
  }

  @Serves(identity.pollResult)
  poll({ body }: Input<typeof identity.pollResult>) {
    return this.enrolments.poll(body);
  }
}

/** The headers of a request, in which a browser says where a form comes from. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Refuses a form that a page of another site sends in the user's browser, which would sign the user in as somebody else. Browsers say where
 * a form comes from; programs say nothing and are allowed. An origin of `null` proves nothing: the platform's own pages have it too,
 * because they hide their address.
 */
function checkOwnPage(front_door_url: string, headers: Headers): void {
  const isElsewhere = !['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined);
  const isOther = ![new URL(front_door_url).origin, 'null', undefined].includes(headers['origin'] as string | undefined);
  if (isElsewhere || isOther)
    throw new Refusal('oauth.invalid_request').because('This form was sent by another site: begin again where you came from');
}
