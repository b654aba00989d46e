import { Refusal } from '@cds/contracts';

/** A refused sign-in that the reader can mend: a browser gets the form again, a program the plain refusal. */
export class TryAgain extends Refusal<'oauth.access_denied'> {
  readonly page: string;

  constructor(reason: string, page: string) {
    super('oauth.access_denied');
    this.because(reason);
    this.page = page;
  }
}
