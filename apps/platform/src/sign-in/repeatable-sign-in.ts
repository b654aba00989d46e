import { Refusal } from '@cds/contracts';

/** A refused sign-in that its user can correct: a browser gets the form once more, a program the plain refusal. */
export class RepeatableSignIn extends Refusal<'oauth.access_denied'> {
  readonly page: string;

  constructor(reason: string, page: string) {
    super('oauth.access_denied');
    this.because(reason);
    this.page = page;
  }
}
