import { setTimeout as pause } from 'node:timers/promises';
import { customer } from '@codase/contracts';
import type { OwnConnection, Person } from '@codase/testing';
import { SLUG } from '../request-field.ts';
import { untilAnswered } from '../until-answered.ts';
import { digestOf, type Edit } from './edit.ts';

interface EditorOptions {
  text?(n: number): string;
  pauseMs?: number;
  untilAnswered?<T>(ask: () => Promise<T>): Promise<T>;
}

/** A person who edits a value, one edit after the other. After a lost answer the same edit is sent again, and changes nothing. */
export class Editor {
  private n = 0;
  private readonly options: Required<EditorOptions>;

  constructor(
    private readonly person: Person,
    private readonly connection: OwnConnection,
    options: EditorOptions = {},
  ) {
    this.options = { text: String, pauseMs: 0, untilAnswered, ...options };
  }

  async edits(): Promise<Edit & { text: string }> {
    const n = ++this.n;
    const { service, id: connectionId } = this.connection;
    const text = this.options.text(n);
    const value = await this.person.sealsFor(service, text);
    if (this.options.pauseMs > 0) await pause(this.options.pauseMs);
    const body = { values: [{ slug: SLUG, value }] };
    const { values } = await this.options.untilAnswered(() =>
      this.person.asks(customer.changeCustomerConnection, { params: { connectionId }, body }),
    );
    const { updated_at: at } = values.find(({ slug }) => slug === SLUG)!;
    return { service_id: service.service_id, person: this.person.user_id, n, at, value: digestOf(value), text };
  }
}
