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

const REQUESTED = {
  begin: FRONT_DOOR.beginSecondFactor,
  confirm: FRONT_DOOR.confirmSecondFactor,
  renew: FRONT_DOOR.renewBackupCodes,
} as const;

/** Lets a signed-in user, a company or a person, set the own second factor up and switch it off. @spec D1-5.8 @gap D1-5.8 */
@Controller()
export class SecondFactorHttp {
  constructor(
    private readonly frontDoor: FrontDoorRequests,
    private readonly passwords: RemotePasswordCheck,
  ) {}

  @Serves(accountSecurity.readSecondFactor, personSecurity.readPersonSecondFactor)
  read(_: Input<typeof accountSecurity.readSecondFactor>, user: User) {
    return this.frontDoor.request(FRONT_DOOR.readSecondFactor, {}, { user_id: userOf(user) });
  }

  @Serves(accountSecurity.beginSecondFactor, personSecurity.beginPersonSecondFactor)
  begin({ body }: Input<typeof accountSecurity.beginSecondFactor>, user: User, call: Call) {
    return this.ask('begin', body.password, user, call, NewAuthenticator);
  }

  @Serves(accountSecurity.confirmSecondFactor, personSecurity.confirmPersonSecondFactor)
  confirm({ body }: Input<typeof accountSecurity.confirmSecondFactor>, user: User, call: Call) {
    return this.ask('confirm', body.code, user, call, BackupCodes);
  }

  @Serves(accountSecurity.renewBackupCodes, personSecurity.renewPersonBackupCodes)
  renew({ body }: Input<typeof accountSecurity.renewBackupCodes>, user: User, call: Call) {
    return this.ask('renew', both(body), user, call, BackupCodes);
  }

  @Serves(accountSecurity.endSecondFactor, personSecurity.endPersonSecondFactor)
  async end({ body }: Input<typeof accountSecurity.endSecondFactor>, user: User, { address }: Call) {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const sealed = seal(secondFactorSeal('end', user_id), both(body));
    return this.frontDoor.request(FRONT_DOOR.endSecondFactor, { replica }, { user_id, address, sealed });
  }

  /** Sends what the user gave sealed to one process of the front door, and opens the answer, which is sealed to a key of this request. */
  private async ask<S extends z.ZodType>(
    use: SecondFactorUse & keyof typeof REQUESTED,
    secret: string,
    user: User,
    { address }: Call,
    shape: S,
  ): Promise<z.output<S>> {
    const user_id = userOf(user);
    const { replica, seal } = await this.passwords.process();
    const key = newSealingKey();
    const message = { user_id, address, sealed: seal(secondFactorSeal(use, user_id), secret), reply_key: key.public_key };
    const { sealed } = await this.frontDoor.request(REQUESTED[use], { replica }, message);
    return shape.parse(JSON.parse(openAtProcess(key, secondFactorReply(user_id), sealed)!));
  }
}

const both = ({ password, code }: PasswordAndCode): string => JSON.stringify([password, code]);
