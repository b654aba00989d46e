import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type RESEND } from '@codase/contracts';
import type { z } from 'zod';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { CHANNELS, SETTINGS, type Channels, type Settings } from '../config.ts';
import { Spool } from '../spool/spool.store.ts';

type Wanted = z.output<typeof RESEND.message>;
type Answer = { events: number; next: string | null };

/** Publishes a range of stored events once more, or one of them, for a consumer that lost its data or a stream that lost the events. */
@Injectable()
export class ResendService {
  constructor(
    @Inject(CHANNELS) private readonly channels: Channels,
    private readonly spool: Spool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async resend(service: string, { from, to, event_id, after = '0', most, lost }: Wanted): Promise<Answer> {
    const isKnown = Object.hasOwn(this.channels, service);
    if (!isKnown) throw new Refusal('request.not_found').because('The feed consumer has no channel of this name');
    const range = { from: new Date(from), to: new Date(to), event_id, after, most, mayWaitBytes: this.settings.spoolBytes };
    // Events that are sent again get the present time: what one page sends must not be in the range of the next page.
    if (lost && range.to > this.clock.now()) throw new Refusal('request.invalid').because('`to` is in the future');
    const { positions, found } = await this.spool.resend(service, lost ? null : randomUUID(), range);
    if (positions.length === 0 && found > 0)
      throw new Refusal('feed_consumer.spool_full').because('As many events of this service wait to be published as may: ask again later');
    const mayBeMore = positions.length < found || found === most;
    return { events: positions.length, next: mayBeMore ? positions.at(-1)! : null };
  }
}
