import { Inject, Injectable } from '@nestjs/common';
import { DELEGATION_SUBJECTS } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import type { Db } from '@codase/runtime/db';
import { withTimeout } from '@codase/runtime/resilience';
import { RegionRouter } from '../connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { namesHere } from './delegates.store.ts';
import type { DelegateEntity } from './delegate.entity.ts';

/** How long a list waits for the names of users of other regions: for the front door, which knows the regions, and for these together. */
const TIMEOUT_MS = 2000;

type Named = Pick<DelegateEntity, 'delegate_user_id' | 'display_name'>;

/** Finds the present names of delegates, wherever they live. */
@Injectable()
export class DelegateNames {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly bus: Bus,
    private readonly router: RegionRouter,
  ) {}

  /** Returns the name of each delegate, by user: the one that was stored when the home region of the user does not answer. */
  async of(delegates: readonly Named[]): Promise<ReadonlyMap<string, string>> {
    const names = new Map(delegates.map(({ delegate_user_id, display_name }) => [delegate_user_id, display_name]));
    const found = await namesHere(this.db, [...names.keys()]);
    const isHere = new Set(found.map(({ user_id }) => user_id));
    const elsewhere = await this.elsewhere([...names.keys()].filter((user_id) => !isHere.has(user_id)));
    for (const { user_id, display_name } of [...found, ...elsewhere]) names.set(user_id, display_name);
    return names;
  }

  private async elsewhere(user_ids: string[]) {
    if (user_ids.length === 0) return [];
    const deadline = performance.now() + TIMEOUT_MS;
    const regions = await withTimeout(TIMEOUT_MS, this.router.othersWith(user_ids), late).catch((): string[] => []);
    const timeout = deadline - performance.now();
    const replies = regions.map((region) => this.bus.request(DELEGATION_SUBJECTS.delegateNames, { region }, { user_ids }, { timeout }));
    return (await Promise.allSettled(replies)).flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.names : []));
  }
}

const late = () => new Error('the front door did not answer in time');
