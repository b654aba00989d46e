import { Inject, Injectable } from '@nestjs/common';
import { ReceivedEvent, OPEN_PAYLOAD, Refusal, type Sealed } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { JSON_FORMAT, XML_FORMAT } from '@cds/runtime/http';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import { CHANNELS, type Channels, type WebhookChannel } from '../config.ts';
import { Spool } from '../spool/spool.store.ts';
import { spooled, unreadable, type Spooled } from '../spool/spooled.ts';
import { isAuthentic, type DeliveryHeaders } from './authentic.ts';
import { contentKey } from './content-key.ts';

/** The decryptor has this long; the platform gives a delivery ten seconds. */
const OPEN_MS = 5000;

/** Takes deliveries of webhooks: whoever is told that one was taken can forget it, for it is stored. @spec D1-6.3 */
@Injectable()
export class Deliveries {
  constructor(
    @Inject(CHANNELS) private readonly channels: Channels,
    @Inject(Spool) private readonly spool: Spool,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async take(service: string, headers: DeliveryHeaders, body: Buffer): Promise<void> {
    const channel = this.channelOf(service);
    if (!(await isAuthentic(channel, headers, body))) {
      throw new Refusal('auth.token_invalid').because('This is no delivery of the webhook that the channel takes');
    }
    const event = this.read(await this.opened(service, channel, body), service);
    const fresh = await this.spool.transaction(service, (tx) => this.spool.add(tx, service, [event]));
    count('feedReceived', { 'cds.service': service }, fresh);
  }

  private channelOf(service: string): WebhookChannel {
    const channel = Object.hasOwn(this.channels, service) ? this.channels[service] : undefined;
    if (channel?.mode !== 'webhook') throw new Refusal('request.not_found').because('No webhook channel has this name: see CHANNELS');
    return channel;
  }

  /** The bytes inside the account-key envelope, where the webhook uses it. @spec D1-2.3 @spec D1-6.4 */
  private async opened(service: string, { encrypt_payload }: WebhookChannel, body: Buffer): Promise<Buffer> {
    if (!encrypt_payload) return body;
    const envelope = body.toString('utf8') as Sealed;
    const { payload } = await this.bus.request(OPEN_PAYLOAD, { service }, { envelope }, { timeout: OPEN_MS });
    return Buffer.from(payload);
  }

  /**
   * A delivery that is authentic and yet no event we know is stored too, for the parked messages: refused, it would be the oldest of the
   * backlog for seven days, and everything behind it would wait.
   */
  private read(body: Buffer, service: string): Spooled {
    const event = ReceivedEvent.safeParse(parsed(body));
    if (event.success) return spooled(event.data, { message_id: contentKey(event.data) });
    this.log.error('a delivery is no event we know: parked', { 'cds.service': service });
    return unreadable(body, this.clock.now());
  }
}

/** In either format; the first character tells, as inside an envelope nothing else does. */
function parsed(body: Buffer): unknown {
  try {
    return (body.toString('utf8').trimStart().startsWith('<') ? XML_FORMAT : JSON_FORMAT).read(body);
  } catch {
    return undefined;
  }
}
