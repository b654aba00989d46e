import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR, Refusal } from '@codase/contracts';
import { together, transactionFrom, type Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { FrontDoorRequests } from './front-door-requests.service.ts';
import { holdHome, homeStateOf, type HomeState } from './home-lock.store.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from './bases.ts';

/** Finds where users live: a region knows its own users, the front door knows all. */
export interface Homes {
  /** Refuses a call of a user who does not live here; the refusal names the right base. */
  check(user_id: string): Promise<void>;
  regionOf(user_id: string): Promise<string | undefined>;
}
export const HOMES = Symbol('Homes');

/** Thrown inside a transaction that was to write rows of a user of whom this region has none. */
export class NotAtHome extends Error {
  constructor(readonly user_id: string) {
    super('the user does not live in this region');
  }
}

/** Knows who lives in this region. Every write of rows of a user goes through it. */
@Injectable()
export class Home implements Homes {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly frontDoor: FrontDoorRequests,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /**
   * Runs a transaction in which rows of a user may be written: the user is at home, and stays so until it ends. A move waits at the same
   * lock for the writes that are under way, so no row is written after it was copied. While it waits, further writes are refused.
   */
  write<T>(user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.transaction(async (tx) => {
      await this.remains(tx, user_id);
      return work(tx);
    });
  }

  /** The same. The statements of `first`, which only read and lock, are sent together with the `begin`. */
  writeFrom<F, T>(
    user_id: string,
    first: (tx: EntityManager) => Promise<F>,
    work: (tx: EntityManager, found: F) => Promise<T>,
  ): Promise<T> {
    return this.transactionFrom(
      (tx) => together([holdHome(tx, user_id), first(tx)]),
      (tx, [state, found]) => {
        this.checkHomeState(user_id, state);
        return work(tx, found);
      },
    );
  }

  /**
   * Runs a transaction that ends with a refusal when it meets a user who lives elsewhere. The front door is asked where, after the
   * rollback.
   */
  transaction<T>(work: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.db.transaction(work).catch((error: unknown) => this.notAtHome(error));
  }

  /** The same. The statements of `first`, which only read and lock, are sent together with the `begin`. */
  transactionFrom<F, T>(first: (tx: EntityManager) => Promise<F>, work: (tx: EntityManager, found: F) => Promise<T>): Promise<T> {
    return transactionFrom(this.db, first, work).catch((error: unknown) => this.notAtHome(error));
  }

  private async notAtHome(error: unknown): Promise<never> {
    if (!(error instanceof NotAtHome)) throw error;
    throw (await this.elsewhere(error.user_id)) ?? new Refusal('service.unavailable');
  }

  /** Holds one more user, whose rows the transaction writes, at home until it ends. Throws `NotAtHome`. */
  async remains(tx: EntityManager, user_id: string): Promise<void> {
    this.checkHomeState(user_id, await holdHome(tx, user_id));
  }

  /** The same check for a home that another statement already held, with `hold_home` of the database. */
  checkHomeState(user_id: string, state: HomeState | null | undefined): void {
    if (!state) throw new NotAtHome(user_id);
    if (state !== 'here') throw new Refusal('db.writes_paused');
  }

  /** Refuses a call of a user who lives elsewhere; the refusal names the right base. @spec D1-5.6 */
  async check(user_id: string, db: Db = this.db): Promise<void> {
    const state = await homeStateOf(db, user_id);
    if (state !== undefined && state !== 'arriving') return;
    const refusal = await this.elsewhere(user_id);
    if (refusal) throw refusal;
  }

  async regionOf(user_id: string): Promise<string | undefined> {
    return (await this.frontDoor.request(FRONT_DOOR.homeOf, {}, { user_id })).region ?? undefined;
  }

  /** Returns the regions in which some users live, each once. */
  async regionsOf(user_ids: readonly string[]): Promise<string[]> {
    const regions = new Set<string>();
    for (let first = 0; first < user_ids.length; first += REQUESTS_AT_ONCE) {
      const some = await this.frontDoor.request(FRONT_DOOR.homesOf, {}, { user_ids: user_ids.slice(first, first + REQUESTS_AT_ONCE) });
      for (const region of some.regions) regions.add(region);
    }
    return [...regions];
  }

  /**
   * Returns the refusal for a user who is not at home here; undefined for one who has just arrived, since the front door already sends
   * callers here.
   */
  private async elsewhere(user_id: string): Promise<Refusal | undefined> {
    const region = await this.regionOf(user_id);
    if (region === undefined) return new Refusal('auth.token_invalid');
    if (this.here.base === 'region' && region === this.here.region) return undefined;
    const api_url = apiUrlOf(this.bases, region);
    return api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('service.unavailable');
  }
}

/** The most users that the front door is asked about in one message. */
const REQUESTS_AT_ONCE = 1000;
