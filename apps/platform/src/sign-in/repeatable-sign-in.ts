import { Refusal, type Page } from '@cds/contracts';

/** A refused sign-in that its user can correct: a browser gets the form once more, a program the plain refusal. */
export class RepeatableSignIn extends Refusal<'oauth.access_denied' | 'twofa.connection_required'> {
  readonly page: Page;

  constructor(reason: string, page: Page, key: 'oauth.access_denied' | 'twofa.connection_required' = 'oauth.access_denied') {
    super(key);
    this.because(reason);
    this.page = page;
  }
}
