import { feed, type Output } from '@codase/contracts';
import { Facet } from './stranger.ts';

/** What a company's backend does with the events of its service. */
export class Feed extends Facet {
  /** Reads the oldest events and deletes them by reading, or leases them. @spec D1-4.3 */
  drains(query: { webhook_id?: string; lease?: string } = {}): Promise<Output<typeof feed.drainChanges>> {
    return this.actor.asks(feed.drainChanges, { query });
  }
}
