import { Inject, Injectable } from '@nestjs/common';
import { DELEGATION_SUBJECTS, type delegations as contracts, type Output } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import { movedMeanwhile, RegionRouter } from '../connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { listDelegatingElsewhere } from './delegating-companies.store.ts';
import type { OwnGrant } from './grants.store.ts';
import { HeldDelegations } from './held-delegations.service.ts';

type DelegationList = Output<typeof contracts.listDelegations>['items'];

/** The delegations to a user who is at home here. This region only keeps which companies may have made the user a delegate. @gap D1-5.8 */
@Injectable()
export class Delegations {
  constructor(
    private readonly bus: Bus,
    private readonly router: RegionRouter,
    private readonly held: HeldDelegations,
    @Inject(REGION_DB) private readonly db: Db,
  ) {}

  async list(user_id: string): Promise<DelegationList> {
    const elsewhere = (await this.othersOf(user_id)).map((region) => this.bus.request(DELEGATION_SUBJECTS.list, { region }, { user_id }));
    const lists = await Promise.all([this.held.list({ user_id }), ...elsewhere]);
    return inOrder(lists.flatMap(({ delegations }) => delegations));
  }

  readKey(request: OwnGrant): Promise<Output<typeof contracts.readDelegatedKey>> {
    return this.whereItIs(
      request.user_id,
      () => this.held.readKey(request),
      (region) => this.bus.request(DELEGATION_SUBJECTS.readKey, { region }, request),
    );
  }

  async leave(user_id: string, delegation_id: string): Promise<void> {
    const request = { user_id, delegation_id };
    await this.whereItIs(
      user_id,
      () => this.held.leave(request),
      (region) => this.bus.request(DELEGATION_SUBJECTS.leave, { region }, request),
    );
  }

  /** Returns the other regions that may have delegations to a user. Only these are needed, so any other region may be out of order. */
  private async othersOf(user_id: string): Promise<string[]> {
    return this.router.othersWith(await listDelegatingElsewhere(this.db, user_id));
  }

  private whereItIs<T>(user_id: string, here: () => Promise<T>, there: (region: string) => Promise<T>): Promise<T> {
    const sought = { notFound: ['delegates.not_found'], others: () => this.othersOf(user_id) } as const;
    return this.router.hereOrElsewhere(user_id, here, there, sought).catch((error: unknown) => {
      throw movedMeanwhile(error, 'db.writes_paused');
    });
  }
}

/** Returns each delegation once, the oldest first: while a company moves, both regions may return it. */
function inOrder(delegations: DelegationList): DelegationList {
  const byId = new Map(delegations.map((delegation) => [delegation.id, delegation]));
  return [...byId.values()].toSorted((one, other) => (one.created_at < other.created_at ? -1 : 1));
}
