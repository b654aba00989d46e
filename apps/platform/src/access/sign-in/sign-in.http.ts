import { Controller, Inject, UseGuards } from '@nestjs/common';
import { access, type Input, type Refusal } from '@cds/contracts';
import { Serves } from '@cds/runtime/http';
import { Enrolments } from './enrolments.service.ts';
import { OwnPage } from './own-page.http.ts';
import { donePage, refusalPage } from './pages.ts';
import { SignIn } from './sign-in.service.ts';
import { TryAgain } from './try-again.ts';

/** How a browser is told no: with the form again where that helps. */
const refusedPage = (refusal: Refusal): string => (refusal instanceof TryAgain ? refusal.page : refusalPage(refusal));

/** Sign-in and consent in a browser, at the front door. @spec D1-4.1 @spec D1-4.5 */
@Controller()
export class SignInHttp {
  constructor(
    @Inject(SignIn) private readonly signIn: SignIn,
    @Inject(Enrolments) private readonly enrolments: Enrolments,
  ) {}

  @Serves(access.beginAuthorization, { refusedPage })
  async begin({ query }: Input<typeof access.beginAuthorization>) {
    return { html: await this.signIn.begin(query) };
  }

  @UseGuards(OwnPage)
  @Serves(access.authorize, { refusedPage })
  async submit({ body }: Input<typeof access.authorize>) {
    return { location: await this.signIn.submit(body) };
  }

  @Serves(access.authorizationDone, { refusedPage })
  done({ query }: Input<typeof access.authorizationDone>) {
    return { html: donePage(query.outcome) };
  }

  @Serves(access.pollResult)
  poll({ body }: Input<typeof access.pollResult>) {
    return this.enrolments.poll(body);
  }
}
