import { randomUUID } from 'node:crypto';
import { connections, DRAIN_EVENTS, feed, operation, RATE_LIMITS, Refusal, type FeedEvent, type Sealed } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';

const { burst, per_second } = RATE_LIMITS.changes;

interface Feed {
  events: FeedEvent[];
  tokens: number;
  refilledAt: number;
}

/** Plays the gateway and the platform for many services: feeds that are drained by lease, within the limits of the platform. */
export class PlayedFeeds {
  private readonly feeds = new Map<string, Feed>();
  /** A service that always has more events. */
  flooding: string | undefined;
  drains = 0;

  static async open(bus: Bus, body: Sealed): Promise<PlayedFeeds> {
    const played = new PlayedFeeds(body);
    await bus.answer(operation(feed.drainChanges), {}, (_, { service }) => played.drain(service));
    await bus.answer(operation(connections.listConnections), {}, () => ({ items: [], next_cursor: null }));
    return played;
  }

  private constructor(private readonly body: Sealed) {}

  /** Adds an event to the feed of a service. Returns the event's id. */
  happens(service: string): string {
    const event = this.event();
    this.feedOf(service).events.push(event);
    return event.id;
  }

  private drain(service: string) {
    const feed = this.feedOf(service);
    this.charge(feed);
    this.drains += 1;
    const isFlooding = service === this.flooding;
    const events = isFlooding ? Array.from({ length: DRAIN_EVENTS }, () => this.event()) : feed.events.splice(0, DRAIN_EVENTS);
    return { events, more: isFlooding, lease: `lease_${randomUUID()}` };
  }

  private charge(feed: Feed): void {
    const now = performance.now();
    feed.tokens = Math.min(burst, feed.tokens + ((now - feed.refilledAt) / 1000) * per_second);
    feed.refilledAt = now;
    if (feed.tokens < 1) throw new Refusal('rate_limit.exceeded').after(1);
    feed.tokens -= 1;
  }

  private feedOf(service: string): Feed {
    const known = this.feeds.get(service) ?? { events: [], tokens: burst, refilledAt: performance.now() };
    this.feeds.set(service, known);
    return known;
  }

  private event(): FeedEvent {
    const at = new Date().toISOString();
    return {
      id: `evt_${randomUUID()}`,
      event: 'message_received',
      person_user_id: `usr_${randomUUID().slice(0, 3)}`,
      share_code: null,
      at,
      connection_id: 'con_1',
      message_id: `msg_${randomUUID()}`,
      person_public_key: 'x',
      created_at: at,
      body: this.body,
    };
  }
}
