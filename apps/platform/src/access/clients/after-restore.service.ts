import type { AuditEntry } from '@codase/contracts';
import { ProjectionWriter } from '@codase/runtime/bus';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { inBatches } from '../../kit/restored-acts.ts';
import { AccountsStore } from '../identity/index.ts';
import { CLIENTS, type ClientRow } from './client-row.ts';
import { ClientsStore, type EntitledRow } from './clients.store.ts';

/**
 * Repeats what has happened to clients and their companies since the copy was made: what the published clients still know, and then what
 * the exported audit knows, which also has persons and companies without clients.
 */
export async function reconcileClients(restored: RestoredFrontDoor): Promise<void> {
  const clients = new RestoredClients(restored);
  if (restored.report.was_older) await clients.compareWith(await restored.published(CLIENTS));
  await clients.disableAgain(restored.acts.done);
}

class RestoredClients {
  private readonly clients: ClientsStore;
  private readonly accounts: AccountsStore;

  constructor(private readonly restored: RestoredFrontDoor) {
    this.clients = new ClientsStore(restored.tx);
    this.accounts = new AccountsStore(restored.tx);
  }

  /** Compares each client of the table with what was published of it last. */
  async compareWith(published: readonly ClientRow[]): Promise<void> {
    const { bus, report } = this.restored;
    const newest = new Map(published.map((row) => [row.client_id, row]));
    if (newest.size === 0) throw new Error('The bucket of clients is empty, so it does not say which were deleted: restore the bus too.');
    const stored = inBatches(
      (last, limit) => this.clients.after(last, limit),
      ({ client_id }) => client_id,
    );
    for await (const client of stored) {
      await this.reconcileClient(client, newest.get(client.client_id));
      newest.delete(client.client_id);
    }
    for (const user_id of companiesDisabled(published)) await this.disableAccount(user_id);
    report.clients_lost = [...newest.keys()];
    this.restored.afterCommit(async () => {
      const writer = await ProjectionWriter.open(bus, CLIENTS);
      for (const client_id of report.clients_lost) await writer.remove(client_id);
    });
  }

  /** Disables the clients and accounts that were disabled last. */
  async disableAgain(acts: readonly AuditEntry[]): Promise<void> {
    for (const client_id of disabledLast(acts, 'client')) await this.disableClient(client_id);
    for (const user_id of disabledLast(acts, 'account')) await this.disableAccount(user_id);
  }

  private async disableClient(client_id: string): Promise<void> {
    const { tx, now, report } = this.restored;
    const client = await this.clients.find(client_id);
    if (!client || client.disabled) return;
    await this.clients.setDisabled(client_id, now, tx);
    await this.restored.record({ act: 'client.disabled', account_id: client.company_user_id, object: client_id });
    report.clients_disabled.push(client_id);
  }

  private async disableAccount(user_id: string): Promise<void> {
    const { tx, now, report } = this.restored;
    const account = await this.accounts.find(user_id);
    if (!account || account.disabled_at !== null) return;
    await this.accounts.setDisabled(user_id, now, tx);
    await this.restored.record({ act: 'account.disabled', account_id: user_id, object: user_id });
    report.accounts_disabled.push(user_id);
  }

  private async reconcileClient(stored: EntitledRow, newest: ClientRow | undefined): Promise<void> {
    const { tx, report } = this.restored;
    const { client_id, company_user_id } = stored;
    if (company_user_id === null) return;
    const about = { account_id: company_user_id, object: client_id };
    if (!newest) {
      await this.clients.remove(client_id, tx);
      await this.restored.record({ act: 'client.deleted', ...about });
      report.clients_deleted.push(client_id);
      return;
    }
    if (newest.epoch > stored.epoch || newest.secret_version > stored.secret_version) {
      const { epoch, secret_version } = newest;
      await this.clients.revokeSecret(client_id, { epoch: epoch + 1, secret_version: secret_version + 1 }, tx);
      await this.restored.record({ act: 'client.secret_replaced', ...about });
      report.clients_without_secret.push(client_id);
      if (stored.keys.length > 0 || newest.keys.length > 0) report.clients_without_keys.push(client_id);
    }
    if (newest.dpop_bound_access_tokens) await this.clients.demandBoundTokens(client_id, true, tx);
    if (newest.disabled) await this.disableClient(client_id);
    await this.reconcileAccount(company_user_id, stored, newest);
  }

  private async reconcileAccount(user_id: string, stored: EntitledRow, newest: ClientRow): Promise<void> {
    const { tx, now, report, moved } = this.restored;
    if (newest.level !== null && newest.level !== stored.level && !report.accounts_with_level.includes(user_id)) {
      await this.accounts.setLevel(user_id, newest.level, now, tx);
      await this.restored.record({ act: 'level.changed', account_id: user_id, object: user_id, details: { level: newest.level } });
      report.accounts_with_level.push(user_id);
    }
    if (newest.region !== null && newest.region !== stored.region && !report.accounts_moved.includes(user_id)) {
      await this.accounts.setRegion(user_id, newest.region, tx);
      await this.clients.setRegion(user_id, newest.region, tx);
      moved.push({ user_id, from_region: stored.region!, to_region: newest.region });
      report.accounts_moved.push(user_id);
    }
  }
}

/** Returns the companies all of whose clients are disabled, as those of a disabled company are. An operator can enable them again. */
function companiesDisabled(published: readonly ClientRow[]): string[] {
  const enabled = new Set(published.filter(({ disabled }) => !disabled).map(({ company_user_id }) => company_user_id));
  const companies = new Set(published.map(({ company_user_id }) => company_user_id));
  return [...companies].flatMap((user_id) => (user_id === null || enabled.has(user_id) ? [] : [user_id]));
}

/** Returns the accounts or clients that were disabled after they were last enabled. */
function disabledLast(acts: readonly AuditEntry[], what: 'account' | 'client'): string[] {
  const last = new Map<string, string>();
  for (const { act, object, account_id } of acts) {
    const id = what === 'client' ? object : (account_id ?? object);
    if (id !== null && (act === `${what}.disabled` || act === `${what}.enabled`)) last.set(id, act);
  }
  return [...last].flatMap(([id, act]) => (act === `${what}.disabled` ? [id] : []));
}
