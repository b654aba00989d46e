import { randomUUID } from 'node:crypto';
import { Controller, Inject } from '@nestjs/common';
import { Refusal, RESEND } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { Answers, type BusContext, type MessageOf } from '@codase/runtime/nest-bus';
import { CHANNELS, SETTINGS, type Channels, type Settings } from '../config.ts';
import { Spool } from '../spool/spool.store.ts';

type Answer = { events: number; next: string | null };

/** Publishes a range of stored events once more, or one of them, for a consumer that lost its data or a stream that lost the events. */
@Controller()
export class ResendBus {
  constructor(
    @Inject(CHANNELS) private readonly channels: Channels,
    private readonly spool: Spool,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Answers(RESEND, { queue: 'feed-consumer' })
  async resend(wanted: MessageOf<typeof RESEND>, { values: { service } }: Pick<BusContext<typeof RESEND>, 'values'>): Promise<Answer> {
    const { from, to, event_id, after = '0', most, lost } = wanted;
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
