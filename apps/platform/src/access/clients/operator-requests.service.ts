import { Inject, Injectable } from '@nestjs/common';
import { PURPOSE_CHARS, Refusal, RESERVED_PURPOSES, type Level, type NewClient, type RegisteredClient } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { Audit, OPERATOR_INITIATOR } from '../../foundation/audit/index.ts';
import { AccountsStore } from '../identity/index.ts';
import { writingKey, type KeyList } from '../../kit/secrets/key-list.ts';
import { ClientRegistry } from './client-registry.service.ts';
import { backfilled, isManaged } from './client-rights.ts';
import { PEPPERS } from './client-secret.ts';
import { ClientsStore } from './clients.store.ts';
import { ClientsTable } from './clients-table.service.ts';

/** The form of a managed purpose. The purpose that a company gives is checked before it comes here. */
const PURPOSE = new RegExp(`^[a-z0-9_.:-]{1,${PURPOSE_CHARS}}$`);
/** How many clients are read at once. */
const BATCH = 500;
/** How many clients one answer names. */
const LISTED = 100;

/** Changes of accounts and clients that only an operator may make. */
@Injectable()
export class OperatorRequests {
  constructor(
    private readonly accounts: AccountsStore,
    private readonly store: ClientsStore,
    private readonly clients: ClientsTable,
    private readonly registry: ClientRegistry,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PEPPERS) private readonly peppers: KeyList,
  ) {}

  /** Sets the level of a company. Every base learns at once what the clients of the company may still use. @gap D1-4.5 */
  async setLevel(user_id: string, level: Level): Promise<void> {
    await this.clients.changeCompany(user_id, async (tx) => {
      const isThere = await this.accounts.setLevel(user_id, level, this.clock.now(), tx);
      if (!isThere) throw new Refusal('request.invalid').because(`There is no account ${user_id}`);
      await this.audit.record(tx, { act: 'level.changed', account_id: user_id, object: user_id, details: { level } });
    });
  }

  /** Disables or enables a client: every base refuses the client and its tokens, or accepts them again. */
  async setClientDisabled(client_id: string, disabled: boolean): Promise<void> {
    await this.clients.change(client_id, async (tx) => {
      if (!(await this.store.setDisabled(client_id, disabled ? this.clock.now() : null, tx)))
        throw new Refusal('request.invalid').because(`There is no client ${client_id}`);
      const act = disabled ? 'client.disabled' : 'client.enabled';
      await this.audit.record(tx, { act, object: client_id, initiator: OPERATOR_INITIATOR });
    });
  }

  /** Returns the clients whose secret is hashed under an old pepper. An operator may remove that pepper when there are none. */
  async secretsUnderOldPeppers(): Promise<{ count: number; client_ids: string[] }> {
    const found = await this.store.underOtherPeppers(writingKey(this.peppers).id, this.clock.now());
    return { count: found.length, client_ids: found.slice(0, LISTED) };
  }

  /** @spec D1-2.1 */
  async registerManaged(client: NewClient): Promise<RegisteredClient> {
    if (client.kind !== 'account' || !isManaged(client.purpose)) {
      throw new Refusal('request.invalid').because(
        `A managed client is an account client whose purpose begins with ${RESERVED_PURPOSES.join(' or ')}`,
      );
    }
    if (!PURPOSE.test(client.purpose!)) throw new Refusal('account_clients.purpose_invalid');
    if (client.name.trim() === '') throw new Refusal('account_clients.name_invalid');
    return this.registry.register(client);
  }

  /** Gives every client the patterns of today. Returns how many clients changed, and by how many patterns. @spec D1-5.7 @spec D1-9 */
  async backfillPatterns(): Promise<{ clients: number; patterns: number }> {
    const changed = { clients: 0, patterns: 0 };
    for (let last: string | undefined = ''; last !== undefined;) {
      const some = await this.store.after(last, BATCH);
      for (const client of some.filter((row) => !sameSet(row.patterns, backfilled(row)))) {
        changed.patterns += await this.backfill(client.client_id);
        changed.clients += 1;
      }
      last = some.length < BATCH ? undefined : some.at(-1)!.client_id;
    }
    return changed;
  }

  private backfill(client_id: string): Promise<number> {
    return this.clients.change(client_id, async (tx) => {
      await this.store.hold(client_id, tx);
      const client = await this.store.find(client_id, tx);
      if (!client) return 0;
      const patterns = (await this.store.setPatterns(client_id, backfilled(client), tx)).length;
      const { company_user_id: account_id } = client;
      await this.audit.record(tx, { act: 'client.patterns_backfilled', account_id, object: client_id, details: { patterns } });
      return patterns;
    });
  }
}

const sameSet = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((entry) => b.includes(entry));
