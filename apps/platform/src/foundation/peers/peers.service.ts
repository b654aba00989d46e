import { Inject, Injectable } from '@nestjs/common';
import { BODY_BYTES, userSpokenFor, type PeerSubject, type Refusal } from '@codase/contracts';
import { Bus, type RequestOptions } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import type { DataSource } from 'typeorm';
import type { z } from 'zod';
import { REGION_DB } from '../../kit/databases.ts';
import { HERE, Home, type Here } from '../regions/index.ts';
import type { StoredAct } from './act-check.hook.ts';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { PeerHandlers, type PeerReply } from './peer-handlers.service.ts';
import { forUser, isMaybeElsewhere, type SearchRefusals } from './search.ts';

/** The most bytes of a request in one message; the rest of the limit is for what surrounds it. */
const MESSAGE_BYTES = BODY_BYTES - 16 * 1024;

/** How something of a user is sought that lives in the region of a company. */
export interface Search extends SearchRefusals {
  /** Returns the companies that may have it and that do not live in this region. */
  companies(db: Db, user_id: string): Promise<readonly string[]>;
}

/** The request of a subject, as it is sent. */
export type PeerRequest<S extends PeerSubject> = z.input<S['message']> & object;

/**
 * Calls what this region and the others answer. Most of what a user has of companies lives in the region of the company, and the user never
 * learns which one that is. No transaction is open while a region answers (decision 31). @gap D1-1
 */
@Injectable()
export class Peers {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly bus: Bus,
    private readonly home: Home,
    @Inject(HERE) private readonly here: Here,
    private readonly handlers: PeerHandlers,
    private readonly chunked: ChunkedTransfer,
  ) {}

  get region(): string {
    if (this.here.base !== 'region') throw new Error('only regions have peers');
    return this.here.region;
  }

  /** Calls a region, which may be this one. A request that is too long for one message goes in chunks. */
  async call<S extends PeerSubject>(
    subject: S,
    region: string,
    request: PeerRequest<S>,
    options: RequestOptions = {},
  ): Promise<PeerReply<S>> {
    if (region === this.region) return this.handlers.handle(subject, request) as Promise<PeerReply<S>>;
    this.handlers.checkBeforeSending(subject, request);
    const text = JSON.stringify(request);
    const isLong = Buffer.byteLength(text) > MESSAGE_BYTES;
    return (
      isLong ? this.chunked.send(region, subject, text, options) : this.bus.request(subject, { region }, request, options)
    ) as Promise<PeerReply<S>>;
  }

  /** Performs a request here, with the check of the statement over an act, for callers who have more than the request says. */
  perform<T>(subject: PeerSubject, request: object, work: () => T | Promise<T>): Promise<T> {
    return this.handlers.perform(subject, request, work);
  }

  /** Performs an act of a person that is stored here, whatever is sent to other regions later. */
  performAct<T>(act: Omit<StoredAct, 'busUser'>, work: () => T | Promise<T>): Promise<T> {
    return this.handlers.performAct({ ...act, busUser: undefined }, work);
  }

  /** Calls the region that has what the request is about: this one, where it mostly is, or another one of the user's. */
  find<S extends PeerSubject>(subject: S, request: PeerRequest<S>, search: Search, options?: RequestOptions): Promise<PeerReply<S>> {
    return this.search(subject, request, search, (region) => this.call(subject, region, request, options));
  }

  /** The same, with another call for each region. */
  async search<T>(subject: PeerSubject, request: object, search: Search, call: (region: string) => Promise<T>): Promise<T> {
    try {
      return await call(this.region).catch(async (refused: unknown) => {
        if (!isMaybeElsewhere(refused, search)) throw refused;
        const others = await this.elsewhere(userOf(subject, request), search);
        return this.firstThatHas(others, search, { refused, call });
      });
    } catch (error) {
      throw forUser(error, subject, search);
    }
  }

  /**
   * Calls some regions one after the other until one has it. When none has it, the last refusal that says more than "not found" is thrown,
   * if there is one.
   */
  async firstThatHas<T>(
    regions: readonly string[],
    search: Search,
    { refused, call, before }: { refused: Refusal; call: (region: string) => Promise<T>; before?: (() => Promise<void>) | undefined },
  ): Promise<T> {
    let refusal = refused;
    for (const region of regions) {
      await before?.();
      try {
        return await call(region);
      } catch (error) {
        if (!isMaybeElsewhere(error, search)) throw error;
        if (!search.notFound.includes(error.key)) refusal = error;
      }
    }
    throw refusal;
  }

  /** Calls this region and the others of the user at the same time. Each has a part of the answer. */
  async gather<S extends PeerSubject>(
    subject: S,
    request: PeerRequest<S>,
    search: Pick<Search, 'companies'>,
  ): Promise<{ region: string; reply: PeerReply<S> }[]> {
    const regions = [this.region, ...(await this.elsewhere(userOf(subject, request), search))];
    return Promise.all(regions.map(async (region) => ({ region, reply: await this.call(subject, region, request) })));
  }

  /**
   * Returns the other regions that may have something of a user. A user whose companies all live here depends on no other region. Only
   * these regions are needed, so any other one may be out of order.
   */
  async elsewhere(user_id: string, { companies }: Pick<Search, 'companies'>): Promise<string[]> {
    return this.othersWith(await companies(this.db, user_id));
  }

  /** Returns the other regions in which some of these companies live. */
  async othersWith(company_user_ids: readonly string[]): Promise<string[]> {
    return (await this.home.regionsOf(company_user_ids)).filter((region) => region !== this.region);
  }
}

function userOf(subject: PeerSubject, request: object): string {
  const user_id = userSpokenFor(subject, request);
  if (user_id === undefined) throw new Error(`${subject.pattern} speaks for nobody: call the region that has it`);
  return user_id;
}
