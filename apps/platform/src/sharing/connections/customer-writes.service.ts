import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { FairSemaphore, poll, repeat, withTimeout, type Repeated, type Saturated } from '@codase/runtime/resilience';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { newId } from '../../kit/ids.ts';
import { NotAtHome } from '../../foundation/regions/index.ts';
import { isLockFailure, keepLease, LOCK_WAIT_MS, lockCustomer, releaseLease, RENEW_LEASE_MS, takeLease } from './customer-writes.store.ts';

/** The most transactions of customers at the same time, on a database pool of their own. */
export const CUSTOMER_WRITES_AT_ONCE = 10;
/** The most writes at the same time that ask other regions. While they wait for an answer they hold no database connection. */
const LEASES_AT_ONCE = 100;
/** For each customer and each of the two semaphores: one write under way, and a few that wait. */
const PER_CUSTOMER = { each: 1, queuedEach: 7, waitMs: LOCK_WAIT_MS };
/** How long a response is delayed by the release of its lease. */
const RELEASE_MS = 250;
const UNTIL_FREE = { everyMs: 20, withinMs: LOCK_WAIT_MS };

/** Transactions on the pool of customers, in which rows of a user may be written. Provided in capability.ts. */
interface CustomerTransactions {
  write<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T>;
}
export const CUSTOMER_WRITES = Symbol('CustomerTransactions');

/** The lease of a write that asks other regions. While it is held no process makes another write of the customer. */
export interface Lease {
  /** The moment of the write, later than that of every write before it. */
  readonly at: Date;
  /** Runs a transaction in the home region, and refuses when the lease was lost. */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T>;
  /** Renews the lease; called before another region is asked. Refuses when the lease was lost. */
  keep(): Promise<void>;
}

type Begin<B> = (tx: EntityManager, at: Date) => Promise<B>;

/**
 * Makes the writes of a customer one after the other, so that values shared from a field of the profile get every edit of it, in order. A
 * write that stays in this region is one transaction, which locks the customer's row. A write that asks other regions holds a lease on that
 * row instead: no transaction is open while another region answers, so regions that wait for each other use up no database connections.
 */
@Injectable()
export class CustomerWrites {
  private readonly localWrites = new FairSemaphore({ total: CUSTOMER_WRITES_AT_ONCE, ...PER_CUSTOMER }, tooMany);
  private readonly leasedWrites = new FairSemaphore({ total: LEASES_AT_ONCE, ...PER_CUSTOMER }, tooMany);
  /** Customers for whom this process is making a write. The next write of such a customer waits without asking the database. */
  private readonly underWay = new Set<string>();

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(CUSTOMER_WRITES) private readonly home: CustomerTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Makes a write that needs no other region, in one transaction. */
  transaction<T>(user_id: string, work: (tx: EntityManager, at: Date) => Promise<T>): Promise<T> {
    return this.serialised(this.localWrites, user_id, () =>
      this.inHomeTransaction(user_id, async (tx) => work(tx, (await lockCustomer(tx, user_id, this.clock.now())) ?? refuseLeased())),
    );
  }

  /** Makes a write that asks other regions between its transactions. `begin` runs in the transaction that takes the lease. */
  leased<T, B>(user_id: string, begin: Begin<B>, work: (lease: Lease, begun: B) => Promise<T>): Promise<T> {
    return this.serialised(this.leasedWrites, user_id, async () => {
      const lease_id = newId('lease');
      const { at, begun } = await this.inHomeTransaction(user_id, async (tx) => {
        const at = (await takeLease(tx, user_id, lease_id, this.clock.now())) ?? refuseLeased();
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

  /** Releases the lease. The answer waits only a short time for it: otherwise the lease runs out by itself. */
  private async release(user_id: string, lease_id: string, renewing: Repeated): Promise<void> {
    const late = () => new Error('the database does not answer');
    const released = Promise.all([renewing.stop(), releaseLease(this.db, user_id, lease_id)]);
    await withTimeout(RELEASE_MS, released, late).catch((error: unknown) => this.log.warn('a lease was left to run out', { error }));
  }

  /** Renews the lease while a write waits for another region. The first round does nothing, since the lease has just been taken. */
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
        this.inHomeTransaction(user_id, async (tx) => {
          await keep(tx);
          return work(tx);
        }),
    };
  }

  /**
   * Runs a transaction in the home region of the customer. `work` throws NotAtHome when the company of a connection has begun or ended a
   * move. The customer called the right region, so the refusal asks for a retry, and not to call another one.
   */
  private inHomeTransaction<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.home.write(user_id, (tx) =>
      work(tx).catch((error: unknown) => {
        throw error instanceof NotAtHome ? new Refusal('db.writes_paused') : error;
      }),
    );
  }

  /** Waits until no other write of the customer is under way, here or in another process, and refuses when that takes long. */
  private serialised<T>(semaphore: FairSemaphore, user_id: string, write: () => Promise<T>): Promise<T> {
    return semaphore.run(user_id, async () => {
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
      if (error instanceof LeasedByOther) return undefined;
      throw isLockFailure(error) ? tooMany('owner') : error;
    } finally {
      this.underWay.delete(user_id);
    }
  }
}

/** Ends a transaction that found a lease of another write on the customer's row. */
class LeasedByOther extends Error {}
function refuseLeased(): never {
  throw new LeasedByOther('another write of the customer asks other regions');
}

const leaseLost = () => new Refusal('service.unavailable').because('Another change of your account began first: send the call again');

/** The specification sets no limit on changes at the same time: these are ours. @gap D1-8 */
const tooMany = (why: Saturated) => new Refusal('rate_limit.exceeded').because(TOO_MANY[why]).after(1);
const TOO_MANY: Record<Saturated, string> = {
  owner: 'Other changes of your account are under way: send one after the other',
  total: 'Many changes are under way: try again in a moment',
};
