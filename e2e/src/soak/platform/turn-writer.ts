import { setTimeout as pause } from 'node:timers/promises';
import { emit, writeIfHome, type NewEvent } from '@codase/platform';
import { openDatabase } from '@codase/runtime/db';
import type { World } from '@codase/testing';
import type { Cleanup } from '../cleanup.ts';
import { turnOf, type Edit } from './edit.ts';
import type { EventReceiver } from './event-receiver.ts';

type Database = Awaited<ReturnType<typeof openDatabase>>;

const BATCH = 20;
/** How many events may be on their way to the webhook, which gets them one after the other. */
const MAX_PENDING = 400;
const WAIT_MS = 50;
const PERSON = 'usr_soak';

/** Writes events of turns into the feed of a service, many in a transaction: volume beside the edits that come over HTTP. */
export class TurnWriter {
  readonly written: Edit[] = [];
  /** The events of broken transactions. It is unknown whether these were committed, so the events may arrive or not. */
  readonly doubtful = new Set<string>();
  private n = 0;

  private constructor(
    private readonly databases: readonly Database[],
    private readonly receiver: EventReceiver,
  ) {}

  static async open(world: World, receiver: EventReceiver, cleanup: Cleanup): Promise<TurnWriter> {
    const open = (name: 'region_eu' | 'region_us') => world.opensDatabase(name);
    const databases = await Promise.all([open('region_eu'), open('region_us')]);
    cleanup.push(() => Promise.all(databases.map((database) => database.destroy())));
    return new TurnWriter(databases, receiver);
  }

  async writesUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) if (this.receiver.pending(this.written.length) > MAX_PENDING || !(await this.write())) await pause(WAIT_MS);
  }

  /** Writes a batch of turns. Returns whether the company's home region accepted it. */
  private async write(): Promise<boolean> {
    const { company_user_id, service_id } = this.receiver.backend;
    const turns = Array.from({ length: BATCH }, () => turnOf(service_id!, PERSON, ++this.n));
    const events = turns.map(({ at: flow_run_id }): NewEvent => {
      const event = { event: 'flow_run_turn', person_user_id: PERSON, share_code: null, flow_run_id, awaiting_party: 'company' } as const;
      return { company_user_id, service_id: service_id!, event: { ...event, at: new Date().toISOString() } };
    });
    for (const database of this.databases) {
      try {
        const isWritten = await writeIfHome(database, company_user_id, (tx) => emit(tx, events).then(() => true));
        if (!isWritten) continue;
        this.written.push(...turns);
        return true;
      } catch {
        for (const { value } of turns) this.doubtful.add(value);
        return false;
      }
    }
    this.n -= BATCH;
    return false;
  }
}
