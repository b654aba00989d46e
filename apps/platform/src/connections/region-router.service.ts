import { Inject, Injectable } from '@nestjs/common';
import { BODY_BYTES, Refusal, type ErrorKey } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { HERE, Home, type Here } from '../regions/index.ts';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { listCompaniesElsewhere } from './customer-companies.store.ts';
import { RegionOperations } from './region-operations.service.ts';
import { SUBJECTS, type Operation, type ReplyOf, type RequestOf } from './region-protocol.ts';

/** What a message may weigh, with room for what is around it. */
const MESSAGE_BYTES = BODY_BYTES - 16 * 1024;

/** Refusals that do not say whether a region has what is sought. */
const UNSURE: readonly ErrorKey[] = ['region.rebase_required', 'db.writes_paused', 'service.unavailable', 'platform.out_of_order'];

/** What is sought in several regions. */
export interface Sought {
  /** How a region says that it does not have it. */
  notFound: readonly ErrorKey[];
  /** Further refusals that do not say whether it has it. */
  unsure?: readonly ErrorKey[];
  /** The other regions that may have it; those with companies of the customer when absent. */
  others?: () => Promise<readonly string[]>;
}
const CONNECTION: Sought = { notFound: ['company_data.connection_not_found'] };

/** After such a refusal another region may still have it. */
export const isMaybeElsewhere = (error: unknown, { notFound, unsure = [] }: Sought = CONNECTION): error is Refusal =>
  error instanceof Refusal && [...UNSURE, ...notFound, ...unsure].includes(error.key);

/**
 * Connections live in their company's region and nowhere else: an operation goes to the region that has them, and the customer never learns
 * which it was. The router takes no transaction: none is open while a region answers (decision 31). @gap D1-1
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

  /** The other regions that may have connections of a customer. Whose companies all live here depends on nobody for it. */
  async othersOf(user_id: string): Promise<string[]> {
    return this.othersWith(await listCompaniesElsewhere(this.db, user_id));
  }

  /** The other regions in which some companies live. */
  async othersWith(company_user_ids: readonly string[]): Promise<string[]> {
    return (await this.home.regionsOf(company_user_ids)).filter((region) => region !== this.region);
  }

  ask<O extends Operation>(region: string, operation: O, request: RequestOf<O>): Promise<ReplyOf<O>> {
    if (region === this.region) return this.operations.perform(operation, request);
    const isLong = Buffer.byteLength(JSON.stringify(request)) > MESSAGE_BYTES;
    return isLong ? this.chunked.send(region, operation, request) : this.bus.request(SUBJECTS[operation], { region }, request);
  }

  /** Asks one region after the other for a connection that this one has refused. */
  async askEach<O extends 'read' | 'change' | 'disconnect'>(
    regions: readonly string[],
    operation: O,
    request: RequestOf<O>,
    { refused, before }: { refused: Refusal; before?: () => Promise<void> },
  ): Promise<ReplyOf<O>> {
    return firstThatHas(regions, (region) => this.ask(region, operation, request), { refused, before, sought: CONNECTION });
  }

  /**
   * What is in this region, as mostly, and then nobody else is needed for it; or else in one of the customer's others. A connection and
   * what is of it when nothing else is said.
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

/** The answer of the first region that has it. A refusal says more than that it was not found, if one does. */
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

/** The customer is at the right base; it is the company that moves, which takes a moment. */
export const movedMeanwhile = (error: unknown, instead: 'db.writes_paused' | 'service.unavailable'): unknown =>
  error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal(instead) : error;
