import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { customer } from '@codase/contracts';
import type { OwnConnection, Person } from '@codase/testing';
import { SLUG } from '../request-field.ts';
import { untilAnswered } from '../until-answered.ts';

/** An edit that the platform confirmed: its number, and the platform's time of it, which identifies its event. */
export interface Edit {
  service_id: string;
  person: string;
  n: number;
  at: string;
  /** A digest of the sealed value. All are different, so it identifies the edit. */
  value: string;
}

/** Returns the digest of a value. Values may be long and there are many, so only digests are kept. */
export const digestOf = (value: string): string => hash('sha256', value, 'base64');

/** Counts a turn of a run as an edit. Every run has one turn, which the run's id identifies. */
export function turnOf(service_id: string, person: string, n: number): Edit {
  const run = `run_${service_id}_${n}`;
  return { service_id, person, n, at: run, value: run };
}

/** Counts a message as an edit. Its body is sealed with random bytes, so the body identifies it. Messages have their own order. */
export function messageOf(service_id: string, person: string, n: number, body: string): Edit {
  const digest = digestOf(body);
  return { service_id, person: `${person} messages`, n, at: digest, value: digest };
}

/** Counts an event of a document as an edit, by the document's id. */
export const documentOf = (service_id: string, person: string, n: number, at: string): Edit => ({
  service_id,
  person: `${person} documents`,
  n,
  at,
  value: at,
});

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

  async editsUntil(isOver: () => boolean, edits: Edit[]): Promise<void> {
    while (!isOver()) edits.push(await this.edits());
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
