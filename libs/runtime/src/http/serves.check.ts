import { accountSecurity, personSecurity, type Caller, type Input } from '@codase/contracts';
import { Serves } from './index.ts';

// What must and what must not compile.

type Company = Caller<typeof accountSecurity.readSecondFactor>;
type User = Company | Caller<typeof personSecurity.readPersonSecondFactor>;

const OFF = { enabled: false, backup_codes_left: 0 };

/** A method that serves several contracts takes the callers of all of them, and answers each. */
export class SecondFactors {
  @Serves(accountSecurity.readSecondFactor, personSecurity.readPersonSecondFactor)
  read(_: Input<typeof accountSecurity.readSecondFactor>, user: User) {
    return user.session_id === undefined ? OFF : Promise.resolve(OFF);
  }

  // @ts-expect-error a person is no company
  @Serves(accountSecurity.readSecondFactor, personSecurity.readPersonSecondFactor)
  readOfCompany(_: object, { company_user_id }: Company) {
    return { ...OFF, enabled: company_user_id !== '' };
  }

  // @ts-expect-error the second contract answers nothing of the kind
  @Serves(accountSecurity.readSecondFactor, personSecurity.listPersonTrustedBrowsers)
  readAnything() {
    return OFF;
  }

  // @ts-expect-error the body of the first contract has no code
  @Serves(accountSecurity.beginSecondFactor, personSecurity.confirmPersonSecondFactor)
  begin({ body }: Input<typeof personSecurity.confirmPersonSecondFactor>) {
    return { backup_codes: [body.code] };
  }
}
