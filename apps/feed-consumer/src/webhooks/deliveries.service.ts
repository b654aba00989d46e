import { Inject, Injectable } from '@nestjs/common';
import { OPEN_PAYLOAD, Refusal, UNOPENED_HOURS, type FeedEvent, type Sealed } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { together } from '@codase/runtime/db';
import { JSON_FORMAT, XML_FORMAT } from '@codase/runtime/http';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { CHANNELS, type Channels, type WebhookChannel } from '../config.ts';
import { ChannelsStore } from '../pull/channels.store.ts';
import { SpoolLimit } from '../spool/spool-limit.service.ts';
import { Spool } from '../spool/spool.store.ts';
import { readEvent, spooled, unreadable, type Spooled } from '../spool/spooled-event.ts';
import { hasAuthenticHeaders, isSigned, isTest, type DeliveryHeaders } from './delivery-authentication.ts';
import { contentKey } from './content-key.ts';
import { DELIVERED_WITHIN_MS } from './delivery-retention.ts';
import { METRICS } from '../metrics.ts';

/** The timeout of the decryptor. The platform gives a delivery ten seconds. */
const OPEN_MS = 5000;
/** The refusals when a body is no envelope, or this account key does not open it. Other refusals of the decryptor may be transient. */
const NEVER_OPENS: readonly string[] = ['decryptor.unreadable', 'request.invalid'];
/** How long deliveries that do not open are refused before one is accepted and parked. */
const UNOPENED_MS = UNOPENED_HOURS * 60 * 60 * 1000;

/** A delivery that is authenticated. */
interface Delivery {
  service: string;
  channel: WebhookChannel;
  body: Buffer;
  isTest: boolean;
  /** Whether the delivery came with a credential. A channel may ask for none. */
  isProven: boolean;
}

/** Takes deliveries of webhooks. When `take` returns, the delivery is stored, and the platform can forget it. @spec D1-6.3 */
@Injectable()
export class Deliveries {
  constructor(
    @Inject(CHANNELS) private readonly channels: Channels,
    private readonly spool: Spool,
    private readonly limit: SpoolLimit,
    private readonly states: ChannelsStore,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Refuses a request that is no delivery of the channel's webhook, before its body is read when the headers already show it. */
  async authenticate(service: string, headers: DeliveryHeaders, readBody: () => Promise<Buffer>): Promise<Delivery> {
    const channel = this.channelOf(service);
    if (!(await hasAuthenticHeaders(channel, headers))) throw notAuthentic();
    const body = await readBody();
    if (!(await isSigned(channel, { headers, body, now: this.clock.now() }))) throw notAuthentic();
    return { service, channel, body, isTest: isTest(headers), isProven: channel.auth.auth_type !== 'none' };
  }

  async take({ service, channel, body, isTest }: Delivery): Promise<void> {
    if (isTest) return;
    await this.limit.check(service);
    const payload = channel.encrypt_payload ? await this.opened(service, body) : body;
    const event = payload
      ? this.read(payload, service)
      : this.parked(body, service, 'no delivery has opened for hours: this one is parked');
    const fresh = await this.spool.transactionAtOnce(service, async (tx) => {
      const [, added] = await together([
        channel.encrypt_payload ? this.states.opened(tx, service) : undefined,
        this.spool.add(tx, service, [event]),
      ]);
      return added;
    });
    count(METRICS.feedReceived, { 'codase.service': service }, fresh);
  }

  private channelOf(service: string): WebhookChannel {
    const channel = Object.hasOwn(this.channels, service) ? this.channels[service] : undefined;
    if (channel?.mode !== 'webhook') throw new Refusal('request.not_found').because('No webhook channel has this name: see CHANNELS');
    return channel;
  }

  /**
   * Returns the bytes inside the account-key envelope. A delivery that does not open is refused, so that the platform keeps it while an
   * operator repairs the account key or the channel. But as the oldest of the backlog it holds up all the others, which are lost after
   * seven days. So when no delivery has opened for some hours, this returns undefined and the delivery is parked. The next one has the same
   * time again. @spec D1-2.3 @spec D1-6.4 @gap D1-6.3
   */
  private async opened(service: string, body: Buffer): Promise<Buffer | undefined> {
    const envelope = body.toString('utf8') as Sealed;
    try {
      const { payload } = await this.bus.request(OPEN_PAYLOAD, { service }, { envelope }, { timeout: OPEN_MS });
      return Buffer.from(payload);
    } catch (error) {
      if (!(error instanceof Refusal && NEVER_OPENS.includes(error.key))) throw error;
      const since = await this.states.unopened(service);
      if (this.clock.now().getTime() - since.getTime() >= UNOPENED_MS) return undefined;
      this.log.error('a delivery does not open: refused', { 'codase.service': service, error });
      throw error;
    }
  }

  /**
   * Reads the event of a delivery. An authentic delivery of no known event is stored too, for the parked messages: if it were refused, it
   * would be the oldest of the backlog for seven days, and everything behind it would wait.
   */
  private read(body: Buffer, service: string): Spooled {
    const event = readEvent(parsed(body));
    if (event) this.checkAge(event, service);
    return event ? spooled(event, { message_id: contentKey(event) }) : this.parked(body, service, 'a delivery is no event we know: parked');
  }

  /**
   * Refuses an event that is too old. A signature stays valid: an attacker who recorded a delivery can send it again, and after a while the
   * spool no longer knows that it came before. The platform sends no event that is older than the time for which it keeps events.
   * @spec D1-8 @gap D1-6.4
   */
  private checkAge({ at }: FeedEvent, service: string): void {
    if (this.clock.now().getTime() - Date.parse(at) <= DELIVERED_WITHIN_MS) return;
    this.log.warn('a delivery brought an event that the platform would have deleted: refused', { 'codase.service': service });
    throw new Refusal('feed_consumer.event_expired');
  }

  private parked(body: Buffer, service: string, why: string): Spooled {
    count(METRICS.feedUnreadable, { 'codase.service': service });
    this.log.error(why, { 'codase.service': service });
    return unreadable(body, this.clock.now());
  }
}

const notAuthentic = () => new Refusal('auth.token_invalid').because('This is no delivery of the webhook that the channel takes');

/** Parses JSON or XML, whichever the first character shows: inside an envelope there is no content type. Undefined when it is neither. */
function parsed(body: Buffer): unknown {
  try {
    return (body.toString('utf8').trimStart().startsWith('<') ? XML_FORMAT : JSON_FORMAT).read(body);
  } catch {
    return undefined;
  }
}
