import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { z } from 'zod';
import { HomeRegionGuard, SealedPasswords } from '../identity/index.ts';
import { sealToProcess } from '../../kit/secrets/process-seal.ts';
import { secondFactorReply, secondFactorSeal, type SecondFactorUse } from './second-factor-seal.ts';
import { SecondFactorSetup } from './second-factor-setup.service.ts';

const PasswordAndCode = z.tuple([z.string(), z.string()]);

interface Sealed {
  user_id: string;
  sealed: string;
}

/** Answers requests that the home region of a user makes for the user. Secrets are sealed on the way there and on the way back. */
@UseGuards(HomeRegionGuard)
@Controller()
export class SecondFactorBus {
  constructor(
    private readonly sealed: SealedPasswords,
    private readonly setup: SecondFactorSetup,
  ) {}

  @Answers(FRONT_DOOR.readSecondFactor, { queue: 'front-door', fixed: ['region'] })
  read({ user_id }: MessageOf<typeof FRONT_DOOR.readSecondFactor>) {
    return this.setup.read(user_id);
  }

  @Answers(FRONT_DOOR.beginSecondFactor, { fixed: ['region', 'replica'] })
  async begin(message: MessageOf<typeof FRONT_DOOR.beginSecondFactor>) {
    const password = this.open('begin', message);
    const { user_id, address } = message;
    const reply = replyTo(message);
    return reply(await this.setup.begin({ user_id, address, password }));
  }

  @Answers(FRONT_DOOR.confirmSecondFactor, { fixed: ['region', 'replica'] })
  async confirm(message: MessageOf<typeof FRONT_DOOR.confirmSecondFactor>) {
    const code = this.open('confirm', message);
    const { user_id, address } = message;
    const reply = replyTo(message);
    return reply({ backup_codes: await this.setup.confirm({ user_id, address, code }) });
  }

  @Answers(FRONT_DOOR.renewBackupCodes, { fixed: ['region', 'replica'] })
  async renew(message: MessageOf<typeof FRONT_DOOR.renewBackupCodes>) {
    const [password, code] = this.openBoth('renew', message);
    const { user_id, address } = message;
    const reply = replyTo(message);
    return reply({ backup_codes: await this.setup.renewBackupCodes({ user_id, address, password }, code) });
  }

  @Answers(FRONT_DOOR.endSecondFactor, { fixed: ['region', 'replica'] })
  async end(message: MessageOf<typeof FRONT_DOOR.endSecondFactor>) {
    const [password, code] = this.openBoth('end', message);
    const { user_id, address } = message;
    await this.setup.end({ user_id, address, password }, code);
    return null;
  }

  private open(use: SecondFactorUse, { user_id, sealed }: Sealed): string {
    const opened = this.sealed.open(secondFactorSeal(use, user_id), sealed);
    if (opened === undefined) throw new Refusal('request.invalid').because('sealed: must be sealed to this process');
    return opened;
  }

  private openBoth(use: SecondFactorUse, message: Sealed): [password: string, code: string] {
    return PasswordAndCode.parse(JSON.parse(this.open(use, message)));
  }
}

/** Returns what seals an answer to the key of the request. Refuses a worthless key now, before anything is done. */
function replyTo({ user_id, reply_key }: { user_id: string; reply_key: string }): (reply: object) => { sealed: string } {
  const seal = (text: string) => sealToProcess(reply_key, secondFactorReply(user_id), text);
  try {
    seal('');
  } catch {
    throw new Refusal('request.invalid').because('reply_key: must be an X25519 key');
  }
  return (reply) => ({ sealed: seal(JSON.stringify(reply)) });
}
