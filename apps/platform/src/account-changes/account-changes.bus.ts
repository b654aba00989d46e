import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@cds/contracts';
import { Answers, type MessageOf } from '@cds/runtime/nest-bus';
import { z } from 'zod';
import { emailChangeSeal, HomeRegionGuard, passwordChangeSeal, SealedPasswords } from '../identity/index.ts';
import { EmailChange } from './email-change.service.ts';
import { PasswordChange } from './password-change.service.ts';

const Passwords = z.tuple([z.string(), z.string()]);

/** Answers requests that the home region of a user makes for the user. */
@UseGuards(HomeRegionGuard)
@Controller()
export class AccountChangesBus {
  constructor(
    private readonly sealed: SealedPasswords,
    private readonly passwords: PasswordChange,
    private readonly emails: EmailChange,
  ) {}

  @Answers(FRONT_DOOR.changePassword, { fixed: ['region', 'replica'] })
  async changePassword({ user_id, address, sealed, session_id }: MessageOf<typeof FRONT_DOOR.changePassword>) {
    const opened = this.sealed.open(passwordChangeSeal(user_id), sealed);
    if (opened === undefined) throw notSealed();
    const [password, new_password] = Passwords.parse(JSON.parse(opened));
    await this.passwords.change({ user_id, password, address }, new_password, session_id);
    return null;
  }

  @Answers(FRONT_DOOR.requestEmailChange, { fixed: ['region', 'replica'] })
  async requestEmailChange({ user_id, address, sealed, email }: MessageOf<typeof FRONT_DOOR.requestEmailChange>) {
    const password = this.sealed.open(emailChangeSeal(user_id, email), sealed);
    if (password === undefined) throw notSealed();
    return this.emails.request({ user_id, password, address }, email.toLowerCase());
  }

  @Answers(FRONT_DOOR.confirmEmailChange, { queue: 'front-door', fixed: ['region'] })
  async confirmEmailChange({ user_id, code }: MessageOf<typeof FRONT_DOOR.confirmEmailChange>) {
    await this.emails.confirm(user_id, code);
    return null;
  }
}

const notSealed = () => new Refusal('request.invalid').because('sealed: must be sealed to this process');
