import { Refusal, type Page } from '@codase/contracts';

/** A refused sign-in that its user can correct: a browser gets the form once more, a program the plain refusal. */
export class RepeatableSignIn extends Refusal<'oauth.access_denied' | 'twofa.connection_required'> {
  readonly page: Page;

  constructor(reason: string, page: Page, key: 'oauth.access_denied' | 'twofa.connection_required' = 'oauth.access_denied') {
    super(key);
    this.because(reason);
    this.page = page;
  }
}

/** A refused request of a client: a browser gets this page, with the way back to the client, a program the plain refusal. */
export class RefusedAuthorization extends Refusal {
  constructor(
    { key, message }: Refusal,
    readonly page: Page,
  ) {
    super(key as 'oauth.invalid_request');
    this.because(message);
  }
}

/** A right password of an account with a second factor: a browser gets the form for the code, a program the step to send with it. */
export class CodeRequired extends Refusal<'account.code_required'> {
  readonly page: Page;

  constructor(step: string, page: Page, reason?: string) {
    super('account.code_required', { step });
    if (reason !== undefined) this.because(reason);
    this.page = page;
  }
}
