import { emit, type NewEvent } from '@codase/platform';
import { openDatabase } from '@codase/runtime/db';
import type { Backend } from '@codase/testing';
import { SLUG } from '../request-field.ts';

type Database = Awaited<ReturnType<typeof openDatabase>>;

/** A customer of the service, and the value that the customer shares. */
export interface Customer {
  person_user_id: string;
  share_code: string;
  connection_id: string;
  mail: string;
}

/** Writes events of edits into a region's feed, many in a transaction, one for each millisecond, whose time numbers them. */
export class EventWriter {
  /** The numbers of the events that are surely written. A broken transaction may have written its events or not. */
  readonly written: number[] = [];
  private n = 0;

  private readonly startedAt = Date.now();

  private constructor(
    private readonly db: Database,
    private readonly service: Backend,
    private readonly customers: readonly Customer[],
  ) {}

  static async open(url: string, service: Backend, customers: readonly Customer[]): Promise<EventWriter> {
    return new EventWriter(await openDatabase({ url, name: 'event-writer', pool: 2 }), service, customers);
  }

  async writes(count: number): Promise<void> {
    const numbers = Array.from({ length: count }, () => ++this.n);
    await this.db.transaction((tx) =>
      emit(
        tx,
        numbers.map((n) => this.eventOf(n)),
      ),
    );
    this.written.push(...numbers);
  }

  numberAt(at: Date): number {
    return at.getTime() - this.startedAt;
  }

  close(): Promise<void> {
    return this.db.destroy();
  }

  private eventOf(n: number): NewEvent {
    const { person_user_id, share_code, connection_id } = this.customers[n % this.customers.length]!;
    const { company_user_id, service_id } = this.service;
    const at = new Date(this.startedAt + n).toISOString();
    const event = { event: 'field_updated', person_user_id, share_code, at, slug: SLUG } as const;
    return { company_user_id, service_id: service_id!, connection_id, event };
  }
}
