import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { FairSemaphore, poll, repeat, withTimeout, type Repeated, type Saturated } from '@cds/runtime/resilience';
import { LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { newId } from '../ids.ts';
import { NotAtHome } from '../regions/index.ts';
import { isHeldUp, keepLease, LOCK_WAIT_MS, lockCustomer, releaseLease, RENEW_LEASE_MS, takeLease } from './customer-writes.store.ts';

/** Transactions of customers at once, on a pool of their own. */
export const CUSTOMER_WRITES_AT_ONCE = 10;
/** Writes at once that ask other regions; while they wait for one they hold no connection. */
const LEASES_AT_ONCE = 100;
/** Of one customer one write is under way, and a few may already wait for it. */
const OF_ONE_CUSTOMER = { each: 1, queuedEach: 7, waitMs: LOCK_WAIT_MS };
/** So long an answer waits for the end of its lease. */
const RELEASE_MS = 250;
const UNTIL_FREE = { everyMs: 20, withinMs: LOCK_WAIT_MS };

/** Transactions on that pool, in which rows of a user may be written. Bound where the capabilities are put together. */
export interface CustomerTransactions {
  write<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T>;
}
export const CUSTOMER_WRITES = Symbol('CustomerTransactions');

/** A write that asks other regions. Meanwhile no other write of the customer is made, in whatever process. */
export interface Lease {
  /** The moment of the write, later than that of every write before it. */
  readonly at: Date;
  /** A transaction at home, while the lease is still held. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  /** Prolongs the lease before another region is asked. */
  keep(): Promise<void>;
}

type Begin<B> = (tx: EntityManager, at: Date) => Promise<B>;

/**
 * A customer's own writes come one after the other, so that no slot misses an edit of the field it follows. One that stays in this region
 * is one transaction, which locks the customer's row. One that asks other regions holds a lease on that row instead: no transaction is ever
 * open while another region answers, so regions that wait for each other keep no connection from anybody.
 */
@Injectable()
export class CustomerWrites {
  private readonly local = new FairSemaphore({ total: CUSTOMER_WRITES_AT_ONCE, ...OF_ONE_CUSTOMER }, tooMany);
  private readonly across = new FairSemaphore({ total: LEASES_AT_ONCE, ...OF_ONE_CUSTOMER }, tooMany);
  /** Customers of whom this process makes a write: the next one waits without asking the database. */
  private readonly underWay = new Set<string>();

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(CUSTOMER_WRITES) private readonly home: CustomerTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** A write that needs no other region, in one transaction. */
  transaction<T>(user_id: string, work: (tx: EntityManager, at: Date) => Promise<T>): Promise<T> {
    return this.alone(this.local, user_id, () =>
      this.atHome(user_id, async (tx) => work(tx, (await lockCustomer(tx, user_id, this.clock.now())) ?? leased())),
    );
  }

  /** A write that asks other regions, between transactions. What it begins with is done in the transaction that takes the lease. */
  leased<T, B>(user_id: string, begin: Begin<B>, work: (lease: Lease, begun: B) => Promise<T>): Promise<T> {
    return this.alone(this.across, user_id, async () => {
      const lease_id = newId('lease');
      const { at, begun } = await this.atHome(user_id, async (tx) => {
        const at = (await takeLease(tx, user_id, lease_id, this.clock.now())) ?? leased();
        return { at, begun: await begin(tx, at) };
      });
      const renewing = this.renew(user_id, lease_id);
      try {
        return await work(this.leaseOf(user_id, lease_id, at), begun);
      } finally {
        await this.release(user_id, lease_id, renewing);
      }
    });
  }

  /** The answer waits for it, but not for a database that is away, nor for a renewal that waits for it: the lease runs out by itself. */
  private async release(user_id: string, lease_id: string, renewing: Repeated): Promise<void> {
    const late = () => new Error('the database does not answer');
    const released = Promise.all([renewing.stop(), releaseLease(this.db, user_id, lease_id)]);
    await withTimeout(RELEASE_MS, released, late).catch((error: unknown) => this.log.warn('a lease was left to run out', { error }));
  }

  /** A write that waits long for another region keeps its lease. It has just been taken, so the first round has nothing to do. */
  private renew(user_id: string, lease_id: string): Repeated {
    let rounds = 0;
    return repeat(async () => rounds++ > 0 && (await keepLease(this.db, user_id, lease_id)), {
      name: 'customer_leases',
      pauseMs: RENEW_LEASE_MS,
      onFailure: (error) => this.log.warn('the lease of a customer was not renewed', { error }),
    });
  }

  private leaseOf(user_id: string, lease_id: string, at: Date): Lease {
    const keep = async (db: DataSource | EntityManager) => {
      if (!(await keepLease(db, user_id, lease_id))) throw leaseLost();
    };
    return {
      at,
      keep: () => keep(this.db),
      transaction: (work) =>
        this.atHome(user_id, async (tx) => {
          await keep(tx);
          return work(tx);
        }),
    };
  }

  /** A company that is not here has begun or ended a move: its customer is at the right base, and comes again in a moment. */
  private atHome<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.home.write(user_id, (tx) =>
      work(tx).catch((error: unknown) => {
        throw error instanceof NotAtHome ? new Refusal('db.writes_paused') : error;
      }),
    );
  }

  /** Waits until no other write of the customer is under way, here or in another process, and refuses when that takes long. */
  private alone<T>(capacity: FairSemaphore, user_id: string, write: () => Promise<T>): Promise<T> {
    return capacity.run(user_id, async () => {
      const made = await poll(() => this.unlessUnderWay(user_id, write), UNTIL_FREE);
      if (!made) throw tooMany('owner');
      return made.outcome;
    });
  }

  private async unlessUnderWay<T>(user_id: string, write: () => Promise<T>): Promise<{ outcome: T } | undefined> {
    if (this.underWay.has(user_id)) return undefined;
    this.underWay.add(user_id);
    try {
      return { outcome: await write() };
    } catch (error) {
      if (error instanceof Leased) return undefined;
      throw isHeldUp(error) ? tooMany('owner') : error;
    } finally {
      this.underWay.delete(user_id);
    }
  }
}

/** Ends a transaction that found the customer's lease in other hands. */
class Leased extends Error {}
function leased(): never {
  throw new Leased('another write of the customer asks other regions');
}

const leaseLost = () => new Refusal('service.unavailable').because('Another change of yours has begun meanwhile: repeat the call');

/** @gap D1-8 */
const tooMany = (why: Saturated) => new Refusal('rate_limit.exceeded').because(TOO_MANY[why]).after(1);
const TOO_MANY: Record<Saturated, string> = {
  owner: 'Other changes are under way: make one after the other',
  total: 'Many changes are under way: come again in a moment',
};
