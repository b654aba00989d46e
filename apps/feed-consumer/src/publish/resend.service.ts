import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type RESEND } from '@cds/contracts';
import type { z } from 'zod';
import { CHANNELS, type Channels } from '../config.ts';
import { Spool } from '../spool/spool.store.ts';

type Wanted = z.output<typeof RESEND.message>;
type Resent = { events: number; next: string | null };

/** Publishes a range of stored events once more, or one of them, for a consumer that lost its data. */
@Injectable()
export class ResendService {
  constructor(
    @Inject(CHANNELS) private readonly channels: Channels,
    private readonly spool: Spool,
  ) {}

  async resend(service: string, { from, to, event_id, after = '0', most }: Wanted): Promise<Resent> {
    const isKnown = Object.hasOwn(this.channels, service);
    if (!isKnown) throw new Refusal('request.not_found').because('The feed consumer has no channel of this name');
    const range = { from: new Date(from), to: new Date(to), event_id, after, most };
    const places = await this.spool.resend(service, randomUUID(), range);
    return { events: places.length, next: places.length === most ? places.at(-1)! : null };
  }
}
