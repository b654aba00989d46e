import { Controller } from '@nestjs/common';
import { accountSecurity, FRONT_DOOR, NewAuthenticator, personSecurity, BackupCodes, type Caller, type Input } from '@codase/contracts';
import { Serves, type Call } from '@codase/runtime/http';
import type { z } from 'zod';
import { RemotePasswordCheck } from '../identity/index.ts';
import { newSealingKey, openAtProcess } from '../../kit/secrets/process-seal.ts';
import { FrontDoorRequests } from '../../foundation/regions/index.ts';
import { userOf } from '../tokens/index.ts';
import { secondFactorReply, secondFactorSeal, type SecondFactorUse } from './second-factor-seal.ts';

type User = Caller<typeof accountSecurity.readSecondFactor> | Caller<typeof personSecurity.readPersonSecondFactor>;
type PasswordAndCode = Input<typeof accountSecurity.endSecondFactor>['body'];

const ASKED = {
  begin: FRONT_DOOR.beginSecondFactor,
  confirm: FRONT_DOOR.confirmSecondFactor,
  renew: FRONT_DOOR.renewBackupCodes,
} as const;

/**
 * Lets a signed-in user set the own second factor up and switch it off: a company at the portal, a person on the phone. The front door does
 * both. @spec D1-5.8 @gap D1-5.8
 */
@Controller()
export class SecondFactorHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  @Serves(accountSecurity.readSecondFactor)
  readOfCompany(_: Input<typeof accountSecurity.readSecondFactor>, company: Caller<typeof accountSecurity.readSecondFactor>) {
    return this.read(company);
  }

  @Serves(personSecurity.readPersonSecondFactor)
  readOfPerson(_: Input<typeof personSecurity.readPersonSecondFactor>, person: Caller<typeof personSecurity.readPersonSecondFactor>) {
    return this.read(person);
  }

  @Serves(accountSecurity.beginSecondFactor)
  beginOfCompany(
    { body }: Input<typeof accountSecurity.beginSecondFactor>,
    company: Caller<typeof accountSecurity.beginSecondFactor>,
    call: Call,
  ) {
    return this.ask('begin', body.password, company, call, NewAuthenticator);
  }

  @Serves(personSecurity.beginPersonSecondFactor)
  beginOfPerson(
    { body }: Input<typeof personSecurity.beginPersonSecondFactor>,
    person: Caller<typeof personSecurity.beginPersonSecondFactor>,
    call: Call,
  ) {
    return this.ask('begin', body.password, person, call, NewAuthenticator);
  }

  @Serves(accountSecurity.confirmSecondFactor)
  confirmOfCompany(
    { body }: Input<typeof accountSecurity.confirmSecondFactor>,
    company: Caller<typeof accountSecurity.confirmSecondFactor>,
    call: Call,
  ) {
    return this.ask('confirm', body.code, company, call, BackupCodes);
  }

  @Serves(personSecurity.confirmPersonSecondFactor)
  confirmOfPerson(
    { body }: Input<typeof personSecurity.confirmPersonSecondFactor>,
    person: Caller<typeof personSecurity.confirmPersonSecondFactor>,
    call: Call,
  ) {
    return this.ask('confirm', body.code, person, call, BackupCodes);
  }

  @Serves(accountSecurity.renewBackupCodes)
  renewOfCompany(
    { body }: Input<typeof accountSecurity.renewBackupCodes>,
    company: Caller<typeof accountSecurity.renewBackupCodes>,
    call: Call,
  ) {
    return this.ask('renew', both(body), company, call, BackupCodes);
  }

  @Serves(personSecurity.renewPersonBackupCodes)
  renewOfPerson(
    { body }: Input<typeof personSecurity.renewPersonBackupCodes>,
    person: Caller<typeof personSecurity.renewPersonBackupCodes>,
    call: Call,
  ) {
    return this.ask('renew', both(body), person, call, BackupCodes);
  }

  @Serves(accountSecurity.endSecondFactor)
  endOfCompany(
    { body }: Input<typeof accountSecurity.endSecondFactor>,
    company: Caller<typeof accountSecurity.endSecondFactor>,
    call: Call,
  ) {
    return this.end(body, company, call);
  }

  @Serves(personSecurity.endPersonSecondFactor)
  endOfPerson(
    { body }: Input<typeof personSecurity.endPersonSecondFactor>,
    person: Caller<typeof personSecurity.endPersonSecondFactor>,
    call: Call,
  ) {
    return this.end(body, person, call);
  }

  private read(user: User) {
    return this.frontDoor.request(FRONT_DOOR.readSecondFactor, {}, { user_id: userOf(user) });
  }

  private async end(body: PasswordAndCode, user: User, { address }: Call) {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(secondFactorSeal('end', user_id), both(body));
    return this.frontDoor.request(FRONT_DOOR.endSecondFactor, { replica }, { user_id, address, sealed });
  }

  /** Sends what the user gave sealed to one process of the front door, and opens the answer, which is sealed to a key of this request. */
  private async ask<S extends z.ZodType>(
    use: SecondFactorUse & keyof typeof ASKED,
    secret: string,
    user: User,
    { address }: Call,
    shape: S,
  ): Promise<z.output<S>> {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const key = newSealingKey();
    const message = { user_id, address, sealed: seal(secondFactorSeal(use, user_id), secret), reply_key: key.public_key };
    const { sealed } = await this.frontDoor.request(ASKED[use], { replica }, message);
    return shape.parse(JSON.parse(openAtProcess(key, secondFactorReply(user_id), sealed)!));
  }
}

const both = ({ password, code }: PasswordAndCode): string => JSON.stringify([password, code]);
