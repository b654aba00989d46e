import { Inject, Injectable } from '@nestjs/common';
import { DELEGATION_SUBJECTS } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { withTimeout } from '@codase/runtime/resilience';
import { Peers, type Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { namesHere } from './delegates.store.ts';
import { listNotedUsers } from './delegating-companies.store.ts';
import type { DelegateEntity } from './delegate.entity.ts';

/** How long a list waits for the names of users of other regions: for the front door, which knows the regions, and for these together. */
const TIMEOUT_MS = 2000;

type Subjects = typeof DELEGATION_SUBJECTS;
type Named = Pick<DelegateEntity, 'company_user_id' | 'delegate_user_id' | 'display_name'>;

/** Finds the present names of delegates, wherever they live. */
@Injectable()
export class DelegateNames implements Handlers<Pick<Subjects, 'delegateNames'>> {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly peers: Peers,
  ) {}

  /** Returns the name of each delegate of a company, by user: the one that was stored when the home region of the user does not answer. */
  async of(delegates: readonly Named[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map(delegates.map(({ delegate_user_id, display_name }) => [delegate_user_id, display_name]));
    const found = await namesHere(this.db, [...names.keys()]);
    const isHere = new Set(found.map(({ user_id }) => user_id));
    const elsewhere = await this.elsewhere(delegates.filter(({ delegate_user_id }) => !isHere.has(delegate_user_id)));
    for (const { user_id, display_name } of [...found, ...elsewhere]) names.set(user_id, display_name);
    return names;
  }

  /** Answers the names of those of the users who live here and are delegates of the company. */
  async delegateNames({ company_user_id, user_ids }: MessageOf<Subjects['delegateNames']>) {
    const noted = new Set(await listNotedUsers(this.db, company_user_id));
    return {
      names: await namesHere(
        this.db,
        user_ids.filter((user_id) => noted.has(user_id)),
      ),
    };
  }

  private async elsewhere(delegates: readonly Named[]) {
    const [first] = delegates;
    if (!first) return [];
    const { company_user_id } = first;
    const user_ids = delegates.map(({ delegate_user_id }) => delegate_user_id);
    const deadline = performance.now() + TIMEOUT_MS;
    const regions = await withTimeout(TIMEOUT_MS, this.peers.othersWith(user_ids), late).catch((): string[] => []);
    const timeout = deadline - performance.now();
    const request = regions.map((region) =>
      this.peers.call(DELEGATION_SUBJECTS.delegateNames, region, { company_user_id, user_ids }, { timeout }),
    );
    return (await Promise.allSettled(request)).flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.names : []));
  }
}

const late = () => new Error('the front door did not answer in time');
