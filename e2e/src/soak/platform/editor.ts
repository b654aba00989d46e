import { setTimeout as pause } from 'node:timers/promises';
import { customer } from '@cds/contracts';
import type { OwnConnection, Person } from '@cds/testing';
import { SLUG } from '../request-field.ts';
import { digestOf, type Edit } from './edit.ts';

/** A long value, and the pause after each: twenty of them are as much as a drain may answer. */
const LONG = { chars: 150_000, pauseMs: 100 } as const;
/** How long one edit may take, with all that breaks meanwhile, on a machine that has much else to do. */
const EDIT_TIMEOUT_MS = 300_000;

/**
 * A person who edits what a service sees, one edit after the other. An edit whose answer was lost is sent again as it was: if it had been
 * made, it changes nothing, and the answer says when it was made.
 */
export class Editor {
  private n = 0;

  constructor(
    private readonly person: Person,
    private readonly connection: OwnConnection,
    private readonly length: 'short' | 'long' = 'short',
  ) {}

  async edits(): Promise<Edit> {
    const n = ++this.n;
    const { service, id: connectionId } = this.connection;
    const isLong = this.length === 'long';
    const value = await this.person.sealsFor(service, isLong ? String(n).padStart(LONG.chars, '0') : String(n));
    if (isLong) await pause(LONG.pauseMs);
    const body = { values: [{ slug: SLUG, value }] };
    const { values } = await this.retries(() => this.person.asks(customer.changeCustomerConnection, { params: { connectionId }, body }));
    const { updated_at: at } = values.find(({ slug }) => slug === SLUG)!;
    return { service_id: service.service_id, person: this.person.user_id, n, at, value: digestOf(value) };
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
