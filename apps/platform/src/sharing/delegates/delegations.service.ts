import { Injectable } from '@nestjs/common';
import { DELEGATION_SUBJECTS, type delegations as contracts, type Output } from '@codase/contracts';
import type { AppEventPresenter } from '../../foundation/app-events/index.ts';
import { onceEach, Peers, type Search } from '../../foundation/peers/index.ts';
import { listDelegatingElsewhere } from './delegating-companies.store.ts';
import type { OwnGrant } from './grants.store.ts';

type DelegationList = Output<typeof contracts.listDelegations>['items'];

const SEARCH: Search = { companies: listDelegatingElsewhere, notFound: ['delegates.not_found'] };

/** The delegations to a user who is at home here. This region only keeps which companies may have made the user a delegate. @gap D1-5.8 */
@Injectable()
export class Delegations implements AppEventPresenter {
  /** The phones then read the list. */
  readonly presents: AppEventPresenter['presents'] = {
    delegation_changed: async ({ object_id: delegation_id }) => ({ delegation_id }),
  };

  constructor(private readonly peers: Peers) {}

  async list(user_id: string): Promise<DelegationList> {
    const lists = await this.peers.gather(DELEGATION_SUBJECTS.list, { user_id }, SEARCH);
    const all = lists.flatMap(({ reply }) => reply.delegations);
    return onceEach(all, 'id', 'created_at');
  }

  readKey(request: OwnGrant): Promise<Output<typeof contracts.readDelegatedKey>> {
    return this.peers.find(DELEGATION_SUBJECTS.readKey, request, SEARCH);
  }

  async accept(user_id: string, delegation_id: string): Promise<void> {
    await this.peers.find(DELEGATION_SUBJECTS.accept, { user_id, delegation_id }, SEARCH);
  }

  async leave(user_id: string, delegation_id: string): Promise<void> {
    await this.peers.find(DELEGATION_SUBJECTS.leave, { user_id, delegation_id }, SEARCH);
  }
}
