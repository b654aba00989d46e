import { setTimeout as pause } from 'node:timers/promises';
import { customer } from '@cds/contracts';
import type { OwnConnection, Person } from '@cds/testing';
import { SLUG } from '../request-field.ts';

/** An edit that the platform confirmed: its number, and the time the platform gave it, by which its event is recognised. */
export interface Edit {
  service_id: string;
  person: string;
  n: number;
  at: string;
  /** As it was sealed: no two are alike, so it tells which edit it belongs to. */
  value: string;
}

/** How long one edit may take, with all that breaks meanwhile. */
const EDIT_TIMEOUT_MS = 90_000;

/**
 * A person who edits what a service sees, one edit after the other. An edit whose answer was lost is sent again as it was: if it had been
 * made, it changes nothing, and the answer says when it was made.
 */
export class Editor {
  private n = 0;

  constructor(
    private readonly person: Person,
    private readonly connection: OwnConnection,
  ) {}

  async edits(): Promise<Edit> {
    const n = ++this.n;
    const { service, id: connectionId } = this.connection;
    const value = await this.person.sealsFor(service, String(n));
    const body = { values: [{ slug: SLUG, value }] };
    const { values } = await this.retries(() => this.person.asks(customer.changeCustomerConnection, { params: { connectionId }, body }));
    const { updated_at: at } = values.find(({ slug }) => slug === SLUG)!;
    return { service_id: service.service_id, person: this.person.user_id, n, at, value };
  }

  private async retries<T>(ask: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + EDIT_TIMEOUT_MS;
    for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, 500)) {
      try {
        return await ask();
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await pause(pauseMs);
      }
    }
  }
}
