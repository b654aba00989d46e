import { setTimeout as soon } from 'node:timers/promises';
import { ManualClock } from '@codase/runtime/clock';
import { HeldLeases } from '@codase/runtime/resilience/leases';
import { silentLog } from '@codase/runtime/telemetry';
import type { ConcludedDelivery, DeliveriesStore } from './deliveries.store.ts';
import { Dispatcher, type MadeUp } from './dispatcher.service.ts';
import type { PendingDelivery, ActiveTarget, DeliveryResult, WriteOutcome } from './pending-delivery.ts';
import type { Outgoing, Ready } from './outgoing.service.ts';
import { SHARD_NAMES } from './shards.ts';

const NOW = new Date('2026-03-10T12:00:00Z');
const ALL_LEASES = SHARD_NAMES.map((name) => ({ name }));
const WEBHOOK = {
  webhook_id: 'wh_1',
  company_user_id: 'usr_1',
  url: 'https://hooks.example/in',
  events: [] as string[],
  health: 'running',
  health_since: new Date(0),
} as unknown as ActiveTarget;
const pending = (seq: number): PendingDelivery => ({
  webhook: WEBHOOK,
  event: {
    seq: String(seq),
    id: `evt_${seq}`,
    created_at: NOW,
    connection_id: 'con_1',
    traceparent: null,
    body: { event: 'field_updated', person_user_id: `user_${seq}`, share_code: null, at: NOW.toISOString(), slug: 'email' },
  },
});
const OK: DeliveryResult = { delivered: true, status: 200, reason: null };
const FAILED: DeliveryResult = { delivered: false, status: 500, reason: 'it answered 500' };

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isTrue()) {
    if (performance.now() > deadline) throw new Error('It does not come to an end.');
    await soon(5);
  }
}

/** A dispatcher with a played queue, endpoint and clock. */
class Played {
  queue: PendingDelivery[] = [1, 2, 3].map(pending);
  posted: string[] = [];
  changes: ConcludedDelivery[][] = [];
  elapsedMs = 0;
  settles: (deliveries: readonly PendingDelivery[]) => Promise<WriteOutcome[]> = async (deliveries) =>
    deliveries.map(({ event }) => this.takes(event.seq));
  changesHealth: (changes: readonly ConcludedDelivery[]) => Promise<WriteOutcome[]> = async (changes) => changes.map(() => 'done');
  answers: () => Promise<DeliveryResult> = async () => OK;
  readsSlots: () => void = () => undefined;
  readonly leases = new HeldLeases<{ name: string }>(() => this.elapsedMs);
  readonly dispatcher: Dispatcher;

  constructor() {
    this.leases.hold(ALL_LEASES, 0, 15_000);
    const store = {
      next: async () => [...this.queue],
      settle: (deliveries: readonly PendingDelivery[]) => this.settles(deliveries),
      change: (changes: readonly ConcludedDelivery[]) => this.changesHealth(changes),
    } as unknown as DeliveriesStore;
    const outgoing = {
      prepare: async (_: ActiveTarget, { person_user_id }: { person_user_id: string }) => ({
        url: person_user_id,
        headers: {},
        body: new Uint8Array(),
      }),
      send: (ready: Ready) => {
        this.posted.push(ready.url);
        return this.answers();
      },
    } as unknown as Outgoing;
    const slots = {
      statesOf: async () => {
        this.readsSlots();
        return new Map();
      },
    };
    this.dispatcher = new Dispatcher({
      store,
      outgoing,
      slots,
      leases: this.leases,
      clock: new ManualClock(NOW),
      log: silentLog,
      isPaused: () => false,
    });
  }

  private takes(seq: string): WriteOutcome {
    const before = this.queue.length;
    this.queue = this.queue.filter(({ event }) => event.seq !== seq);
    return this.queue.length < before ? 'done' : 'gone';
  }

  /** Waits until the dispatcher has nothing in hand. */
  ends(): Promise<void> {
    return until(() => this.dispatcher.inHand.length === 0);
  }

  /** Waits until so many events were posted. */
  has(posted: number): Promise<void> {
    return until(() => this.posted.length >= posted);
  }

  async delivers(): Promise<string[]> {
    this.dispatcher.wake('wh_1');
    await this.ends();
    return this.posted;
  }
}

describe('webhook dispatcher @spec D1-6.3', () => {
  it('posts waiting events in order', async () => {
    expect(await new Played().delivers()).toEqual(['user_1', 'user_2', 'user_3']);
  });

  it('starts no POST that its lease does not cover, however long the preparation took', async () => {
    const played = new Played();
    played.readsSlots = () => {
      played.elapsedMs = 5000;
    };

    expect(await played.delivers()).toEqual([]);
    expect(played.queue).toHaveLength(3);
  });

  it('reads the queue again when another process took its events during a POST', async () => {
    const played = new Played();
    played.answers = async () => {
      played.queue = [];
      return OK;
    };

    expect(await played.delivers()).toEqual(['user_1']);
  });

  it('drops events that it read for a shard that another replica owns now', async () => {
    const played = new Played();
    played.answers = async () => {
      played.leases.hold([], 0, 15_000);
      played.dispatcher.dropOthers();
      return OK;
    };

    expect(await played.delivers()).toEqual(['user_1']);
    played.leases.hold(ALL_LEASES, 0, 15_000);
    expect(played.dispatcher.inHand).toEqual([]);
  });

  it('reads all its events again when notifications were missed', async () => {
    const played = new Played();
    played.answers = async () => {
      if (played.posted.length > 1) return OK;
      played.queue.splice(1, 1);
      played.dispatcher.renewAll();
      return OK;
    };

    expect(await played.delivers()).toEqual(['user_1', 'user_3']);
  });

  it('retries only the write of a failed delivery when the database fails, and does not post the event again', async () => {
    const played = new Played();
    played.answers = async () => FAILED;
    played.changesHealth = async (changes) => {
      played.changes.push([...changes]);
      if (played.changes.length < 3) throw new Error('the database is away');
      return changes.map(() => 'done');
    };

    expect(await played.delivers()).toEqual(['user_1']);
    expect(played.changes.map(([change]) => change!.change.next)).toEqual(['bad', 'bad', 'bad']);
  });

  it('waits while another process has locked an event, and posts no other event of that webhook', async () => {
    const played = new Played();
    const settle = played.settles;
    let requests = 0;
    played.settles = async (deliveries) => (++requests < 3 ? deliveries.map(() => 'locked') : settle(deliveries));

    expect(await played.delivers()).toEqual(['user_1', 'user_2', 'user_3']);
    expect(requests).toBe(5);
  });

  describe('with deliveries outside the queue @gap D1-4.7', () => {
    const MADE_UP: MadeUp = {
      event: {
        id: 'evt_test',
        event: 'connection_created',
        person_user_id: 'test',
        share_code: null,
        at: NOW.toISOString(),
        customer_type: 'person',
      },
      headers: {},
    };

    it('posts queued events while many test deliveries have no answer yet', async () => {
      const played = new Played();
      for (let nth = 0; nth < 1100; nth += 1)
        void played.dispatcher.sendBeside(`wh_test_${nth}`, () => new Promise<never>(() => undefined), MADE_UP);
      played.dispatcher.wake('wh_1');
      await played.has(3);

      expect(played.posted).toEqual(['user_1', 'user_2', 'user_3']);
    });

    it('sends a test delivery only if its webhook still exists, and none after it stops', async () => {
      const played = new Played();
      const send = (read: () => Promise<ActiveTarget | undefined>) => played.dispatcher.sendBeside('wh_2', read, MADE_UP);

      expect(await send(async () => undefined)).toBeUndefined();
      expect(await send(async () => WEBHOOK)).toEqual(OK);
      await played.dispatcher.leave();
      expect(await send(async () => WEBHOOK)).toBeUndefined();
      expect(played.posted).toEqual(['test']);
    });
  });
});
