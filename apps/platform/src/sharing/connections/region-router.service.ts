import { Inject, Injectable } from '@nestjs/common';
import { BODY_BYTES, Refusal, type ErrorKey } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { HERE, Home, type Here } from '../../foundation/regions/index.ts';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { listCompaniesElsewhere } from './customer-companies.store.ts';
import { RegionOperations } from './region-operations.service.ts';
import { SUBJECTS, type Operation, type ReplyOf, type RequestOf } from './region-protocol.ts';

/** The most bytes of a request in one message; the rest of the limit is for what surrounds it. */
const MESSAGE_BYTES = BODY_BYTES - 16 * 1024;

/** Refusals that do not say whether a region has the connection or document that is sought. */
const UNSURE: readonly ErrorKey[] = ['region.rebase_required', 'db.writes_paused', 'service.unavailable', 'platform.out_of_order'];

/** How to search for something in several regions. */
interface Sought {
  /** The refusals by which a region says that it does not have it. */
  notFound: readonly ErrorKey[];
  /** Further refusals that leave open whether the region has it. */
  unsure?: readonly ErrorKey[];
  /** The other regions that may have it. When absent: the regions with companies of the customer. */
  others?: () => Promise<readonly string[]>;
}
const CONNECTION: Sought = { notFound: ['company_data.connection_not_found'] };

/** Whether another region may still have it after this refusal. */
export const isMaybeElsewhere = (error: unknown, { notFound, unsure = [] }: Sought = CONNECTION): error is Refusal =>
  error instanceof Refusal && [...UNSURE, ...notFound, ...unsure].includes(error.key);

/**
 * Sends an operation to the region that has the connection. Connections live only in the region of their company, and the customer never
 * learns which one that is. The router opens no transaction: none is open while a region answers (decision 31). @gap D1-1
 */
@Injectable()
export class RegionRouter {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    private readonly home: Home,
    @Inject(HERE) private readonly here: Here,
    private readonly chunked: ChunkedTransfer,
    private readonly operations: RegionOperations,
  ) {}

  get region(): string {
    if (this.here.base !== 'region') throw new Error('connections live in regions');
    return this.here.region;
  }

  /**
   * Returns the other regions that may have connections of a customer. A customer whose companies all live here depends on no other region.
   */
  async othersOf(user_id: string): Promise<string[]> {
    return this.othersWith(await listCompaniesElsewhere(this.db, user_id));
  }

  /** Returns the other regions in which some of these companies live. */
  async othersWith(company_user_ids: readonly string[]): Promise<string[]> {
    return (await this.home.regionsOf(company_user_ids)).filter((region) => region !== this.region);
  }

  ask<O extends Operation>(region: string, operation: O, request: RequestOf<O>): Promise<ReplyOf<O>> {
    if (region === this.region) return this.operations.perform(operation, request);
    const isLong = Buffer.byteLength(JSON.stringify(request)) > MESSAGE_BYTES;
    return isLong ? this.chunked.send(region, operation, request) : this.bus.request(SUBJECTS[operation], { region }, request);
  }

  /** Asks one region after the other for a connection that this region has refused. */
  async askEach<O extends 'read' | 'change' | 'disconnect'>(
    regions: readonly string[],
    operation: O,
    request: RequestOf<O>,
    { refused, before }: { refused: Refusal; before?: () => Promise<void> },
  ): Promise<ReplyOf<O>> {
    return firstThatHas(regions, (region) => this.ask(region, operation, request), { refused, before, sought: CONNECTION });
  }

  /**
   * Looks for something in this region, where it mostly is, and only then in the other regions of the customer. By default it looks for a
   * connection and what belongs to it.
   */
  async hereOrElsewhere<T>(
    user_id: string,
    here: () => Promise<T>,
    there: (region: string) => Promise<T>,
    sought: Sought = CONNECTION,
  ): Promise<T> {
    try {
      return await here();
    } catch (error) {
      if (!isMaybeElsewhere(error, sought)) throw error;
      const others = await (sought.others?.() ?? this.othersOf(user_id));
      return firstThatHas(others, there, { refused: error, sought });
    }
  }
}

/**
 * Returns the answer of the first region that has it. When none has it, the last refusal that says more than "not found" is thrown, if
 * there is one.
 */
async function firstThatHas<T>(
  regions: readonly string[],
  ask: (region: string) => Promise<T>,
  { refused, before, sought }: { refused: Refusal; before?: (() => Promise<void>) | undefined; sought: Sought },
): Promise<T> {
  let refusal = refused;
  for (const region of regions) {
    await before?.();
    try {
      return await ask(region);
    } catch (error) {
      if (!isMaybeElsewhere(error, sought)) throw error;
      if (!sought.notFound.includes(error.key)) refusal = error;
    }
  }
  throw refusal;
}

/** Replaces a refusal that names another base: the customer called the right base, and the company is moving, which takes a moment. */
export const movedMeanwhile = (error: unknown, instead: 'db.writes_paused' | 'service.unavailable'): unknown =>
  error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal(instead) : error;
