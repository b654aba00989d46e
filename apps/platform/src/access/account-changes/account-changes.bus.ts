import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { z } from 'zod';
import { emailChangeSeal, HomeRegionGuard, passwordChangeSeal, SealedPasswords } from '../identity/index.ts';
import type { SealedFor } from '../../kit/secrets/process-seal.ts';
import { EmailChange } from './email-change.service.ts';
import { PasswordChange } from './password-change.service.ts';

/** What a user gave, as a region seals it. */
const Given = z.object({ password: z.string(), code: z.string().optional() });
const GivenWithNew = Given.extend({ new_password: z.string() });

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
    const { new_password, ...given } = this.open(passwordChangeSeal(user_id), sealed, GivenWithNew);
    await this.passwords.change({ user_id, address, ...given }, new_password, session_id);
    return null;
  }

  @Answers(FRONT_DOOR.requestEmailChange, { fixed: ['region', 'replica'] })
  async requestEmailChange({ user_id, address, sealed, email }: MessageOf<typeof FRONT_DOOR.requestEmailChange>) {
    const given = this.open(emailChangeSeal(user_id, email), sealed, Given);
    return this.emails.request({ user_id, address, ...given }, email.toLowerCase());
  }

  @Answers(FRONT_DOOR.confirmEmailChange, { queue: 'front-door', fixed: ['region'] })
  async confirmEmailChange({ user_id, code }: MessageOf<typeof FRONT_DOOR.confirmEmailChange>) {
    await this.emails.confirm(user_id, code);
    return null;
  }

  private open<S extends z.ZodType>(seal: SealedFor, sealed: string, shape: S): z.output<S> {
    const opened = this.sealed.open(seal, sealed);
    if (opened === undefined) throw new Refusal('request.invalid').because('sealed: must be sealed to this process');
    return shape.parse(JSON.parse(opened));
  }
}
