import { accountSecurity, identity, personSecurity, Refusal, type Output, type Request } from '@codase/contracts';
import { totpCode, totpStep } from '@codase/crypto';
import { Facet, type Asks } from './stranger.ts';

/** The routes of a company at the portal and of a person on the phone. */
export const SECOND_FACTOR_ROUTES = {
  company: {
    read: accountSecurity.readSecondFactor,
    begin: accountSecurity.beginSecondFactor,
    confirm: accountSecurity.confirmSecondFactor,
    renew: accountSecurity.renewBackupCodes,
    end: accountSecurity.endSecondFactor,
  },
  person: {
    read: personSecurity.readPersonSecondFactor,
    begin: personSecurity.beginPersonSecondFactor,
    confirm: personSecurity.confirmPersonSecondFactor,
    renew: personSecurity.renewPersonBackupCodes,
    end: personSecurity.endPersonSecondFactor,
  },
} as const;

type Routes = (typeof SECOND_FACTOR_ROUTES)[keyof typeof SECOND_FACTOR_ROUTES];

/** What a user submits on the page. */
type Submitted = Request<typeof identity.authorize>['body'];

/** The owner of an account, with the password. */
interface Owner extends Asks {
  readonly password: string;
}

/** The authenticator app of a user, and the backup codes on a piece of paper. @gap D1-5.8 */
export class SecondFactor extends Facet<Owner> {
  private secret: string | undefined;
  private clock: () => Date = () => new Date();
  private lastStep = 0;
  backupCodes: string[] = [];

  constructor(
    owner: Owner,
    private readonly routes: Routes,
  ) {
    super(owner);
  }

  reads(): Promise<Output<Routes['read']>> {
    return this.actor.asks(this.routes.read, {});
  }

  /** Begins to set an authenticator up, which from now on goes by this clock. */
  async begins(clock: () => Date = this.clock): Promise<Output<Routes['begin']>> {
    const begun = await this.actor.asks(this.routes.begin, { body: { password: this.actor.password } });
    this.secret = new URL(begun.otpauth_url).searchParams.get('secret')!;
    this.clock = clock;
    return begun;
  }

  /** Switches the second factor on, and writes the backup codes down. */
  async switchesOn(clock: () => Date): Promise<void> {
    await this.begins(clock);
    this.backupCodes = (await this.confirms()).backup_codes;
  }

  async confirms(code?: string): Promise<Output<Routes['confirm']>> {
    return this.actor.asks(this.routes.confirm, { body: { code: code ?? (await this.nextCode()) } });
  }

  async renews(code?: string): Promise<string[]> {
    const body = { password: this.actor.password, code: code ?? (await this.nextCode()) };
    this.backupCodes = (await this.actor.asks(this.routes.renew, { body })).backup_codes;
    return this.backupCodes;
  }

  async switchesOff(code?: string): Promise<void> {
    await this.actor.asks(this.routes.end, { body: { password: this.actor.password, code: code ?? (await this.nextCode()) } });
  }

  /** Returns the code that is shown now, or some steps of 30 seconds later or earlier. */
  code(steps = 0): Promise<string> {
    if (this.secret === undefined) throw new Error('there is no authenticator yet');
    return totpCode(this.secret, totpStep(this.clock()) + steps);
  }

  /** Returns a code that was not used before: each is accepted once, and so is one of the step before and after the present one. */
  nextCode(): Promise<string> {
    const present = totpStep(this.clock());
    this.lastStep = Math.max(this.lastStep + 1, present - 1);
    if (this.lastStep > present + 1) throw new Error('all codes of this minute are used: let time pass');
    return this.code(this.lastStep - present);
  }

  /** Submits the page of sign-in, and the code when it is asked for. Returns where the browser goes. */
  async submits(form: Submitted): Promise<string> {
    try {
      return (await this.actor.asks(identity.authorize, { body: form })).location;
    } catch (error) {
      if (!(error instanceof Refusal) || error.key !== 'account.code_required') throw error;
      const { step } = error.extras as { step: string };
      const { email: _, password: __, ...query } = form;
      return (await this.actor.asks(identity.authorize, { body: { ...query, step, code: await this.nextCode() } })).location;
    }
  }
}
