import { Inject, Injectable } from '@nestjs/common';
import { BODY_BYTES, Refusal } from '@cds/contracts';
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

/** Refusals after which another region may still have the connection. */
const MAYBE_ELSEWHERE = [
  'company_data.connection_not_found',
  'region.rebase_required',
  'db.writes_paused',
  'service.unavailable',
  'platform.out_of_order',
];
export const isMaybeElsewhere = (error: unknown): error is Refusal => error instanceof Refusal && MAYBE_ELSEWHERE.includes(error.key);

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

  /**
   * Asks one region after the other for a connection that this one has refused. A refusal says more than that it was not found, if one
   * does.
   */
  async askEach<O extends 'read' | 'change' | 'disconnect'>(
    regions: readonly string[],
    operation: O,
    request: RequestOf<O>,
    { refused, before }: { refused: Refusal; before?: () => Promise<void> },
  ): Promise<ReplyOf<O>> {
    let refusal = refused;
    for (const region of regions) {
      await before?.();
      try {
        return await this.ask(region, operation, request);
      } catch (error) {
        if (!isMaybeElsewhere(error)) throw error;
        if (error.key !== 'company_data.connection_not_found') refusal = error;
      }
    }
    throw refusal;
  }
}

/** The customer is at the right base; it is the company that moves, which takes a moment. */
export const movedMeanwhile = (error: unknown, instead: 'db.writes_paused' | 'service.unavailable'): unknown =>
  error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal(instead) : error;
