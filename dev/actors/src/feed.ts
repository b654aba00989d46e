import { feed, type Output } from '@codase/contracts';
import type { Stranger } from './stranger.ts';

/** What a company's backend does with the events of its service. */
export class Feed {
  private readonly backend: Pick<Stranger, 'asks'>;

  constructor(backend: Pick<Stranger, 'asks'>) {
    this.backend = backend;
  }

  /** Reads the oldest events and deletes them by reading, or leases them. @spec D1-4.3 */
  drains(query: { webhook_id?: string; lease?: string } = {}): Promise<Output<typeof feed.drainChanges>> {
    return this.backend.asks(feed.drainChanges, { query });
  }
}
