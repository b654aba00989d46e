import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  ACCOUNT_CLIENTS,
  Refusal,
  SIGN_IN_APPS_PER_COMPANY,
  type AuditAct,
  type FRONT_DOOR,
  type NewApp,
  type ClientKey,
  type NewClient,
  type PlainKey,
  type RegisteredKeys,
  type RegisteredClient,
  type RotatedClient,
} from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit, type AuditDetails } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { AccountsStore } from '../identity/index.ts';
import { isManaged, patternsFor } from './client-rights.ts';
import { ClientsStore, type EntitledRow, type ClientEntry, type ClientSecretId, type OwnedClient } from './clients.store.ts';
import { isUsableKey } from './client-assertion.ts';
import { hashSecret, matchingVerifier, PEPPERS, verifierOf } from './client-secret.ts';
import type { Peppers } from './peppers.service.ts';
import { ClientsTable } from './clients-table.service.ts';
import { SECRET_REPLACED, type SecretReplaced } from './secret-replaced.hook.ts';

type ClientChange = Pick<MessageOf<typeof FRONT_DOOR.changeClient>, 'capabilities' | 'redirect_uri' | 'dpop_bound_access_tokens'>;
type SecretRotation = Pick<MessageOf<typeof FRONT_DOOR.rotateSecret>, 'secret_digest' | 'keep_old_hours'>;

/** How much of a redirect URI the audit has, unless its scheme and host are longer. */
const AUDITED_URI_CHARS = 80;

/** The refusals for unique constraints of the database, by the name of the constraint. */
const UNIQUE: Readonly<Record<string, PlainKey>> = {
  client_of_service: 'services.client_exists',
  client_purpose: 'account_clients.purpose_taken',
};

/** A client of a company as it is registered: sign-in apps have a kind of their own, and several redirect URIs. */
interface CompanyClient extends Omit<NewClient, 'kind' | 'redirect_uri'> {
  kind: NewClient['kind'] | 'app';
  redirect_uris: readonly string[];
}

/** What else is written in the transaction of a change. It returns facts for the audit. */
type Further = (tx: EntityManager) => Promise<AuditDetails>;

/** Registers the clients of companies and changes them, as regions ask for it. @spec D1-2.1 @spec D1-4.6 @spec D1-5.1 */
@Injectable()
export class ClientRegistry {
  constructor(
    private readonly store: ClientsStore,
    private readonly clients: ClientsTable,
    private readonly accounts: AccountsStore,
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    @Inject(SECRET_REPLACED) private readonly secretReplaced: readonly SecretReplaced[],
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: Audit,
    @Inject(PEPPERS) private readonly peppers: Peppers,
  ) {}

  /** Registers a client for its company, which may not give it a reserved purpose. */
  async registerOwn(client: NewClient): Promise<RegisteredClient> {
    if (isManaged(client.purpose)) throw new Refusal('account_clients.purpose_reserved');
    return this.register(client);
  }

  /** Registers any client, a managed one too. A request that comes twice finds the client that it registered. */
  register({ redirect_uri, ...client }: NewClient): Promise<RegisteredClient> {
    return this.add({ ...client, redirect_uris: redirect_uri === null ? [] : [redirect_uri] });
  }

  /** Registers a sign-in app, with what `further` writes. @spec D1-4.6 */
  async registerApp({ app_id, ...app }: Omit<NewApp, 'claims' | 'claims_delivery' | 'revision'>, further: Further): Promise<void> {
    const client: CompanyClient = { ...app, client_id: app_id, kind: 'app', service_id: null, purpose: null, capabilities: [] };
    await this.add(client, async (tx) => ({
      redirect_uris_added: auditedUris(app.redirect_uris),
      ...(await further(tx)),
    }));
  }

  private add(client: CompanyClient, further: Further = nothingFurther): Promise<RegisteredClient> {
    const capabilities = distinct(client.capabilities);
    return this.clients.change(client.client_id, async (tx) => {
      const region = await this.checkMayRegister(client, tx);
      const secret_hash = hashSecret(this.peppers, client.client_id, client.secret_digest);
      const added = {
        ...client,
        secret_hash,
        region,
        capabilities,
        epoch: 1,
        patterns: patternsFor({ ...client, capabilities }),
      };
      const isNew = await this.store.add(added, this.clock.now(), tx).catch(refuseTaken);
      if (!isNew && !this.isSame(client, await this.store.find(client.client_id, tx)))
        throw new Refusal('request.invalid').because(`There is already a client ${client.client_id}`);
      const { client_id: object, company_user_id: account_id, kind } = client;
      if (isNew) await this.audit.record(tx, { act: 'client.created', account_id, object, details: { kind, ...(await further(tx)) } });
      return presentClient(await this.find(ownedOf(client), tx));
    });
  }

  async read(client: OwnedClient): Promise<RegisteredClient> {
    return presentClient(await this.find(client));
  }

  secretIds(company_user_id: string, client_ids: readonly string[]): Promise<ClientSecretId[]> {
    return this.store.secretIds(company_user_id, client_ids);
  }

  async list({ company_user_id, limit, cursor }: MessageOf<typeof FRONT_DOOR.listClients>) {
    const entries = await this.store.list(company_user_id, limit + 1, readCursor(cursor));
    const { items, next_cursor } = pageOf(entries, limit, ({ created_at, client_id }) => ({ at: created_at, id: client_id }));
    return { items: items.map(presentClient), next_cursor };
  }

  /** Changes a client. Members that are left out stay as they are. The whitelist of a service client is fixed. @spec D1-2.1 @spec D1-4.6 */
  change(request: OwnedClient, { capabilities, redirect_uri, dpop_bound_access_tokens }: ClientChange): Promise<RegisteredClient> {
    return this.changeEntry(request, 'client.changed', async (client, tx) => {
      checkNotManaged(client);
      const granted = capabilities === undefined ? client.capabilities : distinct(capabilities);
      const redirect_uris = redirect_uri === undefined ? client.redirect_uris : redirect_uri === null ? [] : [redirect_uri];
      await this.store.change(client.client_id, { capabilities: granted, redirect_uris }, tx);
      if (dpop_bound_access_tokens !== undefined) await this.store.demandBoundTokens(client.client_id, dpop_bound_access_tokens, tx);
      if (client.kind === 'account') await this.store.setPatterns(client.client_id, patternsFor({ ...client, capabilities: granted }), tx);
      return dpop_bound_access_tokens === undefined ? {} : { dpop_bound_access_tokens };
    });
  }

  /** Changes the name and the redirect URIs of a sign-in app, and what `further` writes, in one transaction. @spec D1-4.6 */
  async changeApp(
    client: OwnedClient,
    { name, redirect_uris: wanted }: { name?: string | undefined; redirect_uris: readonly string[] },
    further: Further,
  ): Promise<void> {
    await this.changeEntry(client, 'client.changed', async ({ client_id, name: before, capabilities, redirect_uris }, tx) => {
      if (name !== undefined) await this.store.rename(client_id, name, tx);
      await this.store.change(client_id, { capabilities, redirect_uris: wanted }, tx);
      const renamed = name !== undefined && name !== before && { name };
      return { ...differencesOf(redirect_uris, wanted), ...renamed, ...(await further(tx)) };
    });
  }

  /** Replaces the secret at once. Everything that the client began with the old secret ends. @spec D1-5.1 */
  replaceSecret(request: OwnedClient, secret_digest: string): Promise<RegisteredClient> {
    return this.changeEntry(request, 'client.secret_replaced', async (client, tx) => {
      checkNotManaged(client);
      await this.store.replaceSecret(client.client_id, hashSecret(this.peppers, client.client_id, secret_digest), tx);
      await this.endAll(client.client_id, tx);
    });
  }

  /** Adds a new secret. The old one stays valid for some hours, and so do its tokens. @gap D1-4.6 */
  async rotateSecret(request: OwnedClient, { secret_digest, keep_old_hours }: SecretRotation): Promise<RotatedClient> {
    const until = new Date(this.clock.now().getTime() + keep_old_hours * 3_600_000);
    const { client_id } = await this.changeEntry(request, 'client.secret_replaced', async (client, tx) => {
      checkNotManaged(client);
      await this.store.addSecret(client.client_id, hashSecret(this.peppers, client.client_id, secret_digest), until, tx);
    });
    return { client_id, old_secret_until: until.toISOString() };
  }

  /** Ends the old secret. It may be repeated. @gap D1-4.6 */
  async endOldSecret(request: OwnedClient): Promise<void> {
    await this.changeEntry(request, 'client.secret_replaced', async (client, tx) => {
      checkNotManaged(client);
      if (await this.store.endOldSecret(client.client_id, tx)) await this.endAll(client.client_id, tx);
    });
  }

  private async endAll(client_id: string, tx: EntityManager): Promise<void> {
    for (const hook of this.secretReplaced) await hook.secretReplaced(tx, client_id, this.clock.now());
  }

  async readKeys(request: OwnedClient): Promise<RegisteredKeys> {
    return presentKeys(await this.find(request));
  }

  /**
   * Replaces the public keys of a client. When a key goes, or when the secret is refused from now on, everything ends that the client began
   * before, as with a secret that is replaced. @gap D1-5.2
   */
  async setKeys(request: OwnedClient, { keys, required }: Pick<RegisteredKeys, 'keys' | 'required'>): Promise<RegisteredKeys> {
    const unusable = keys.findIndex((key) => !isUsableKey(key));
    if (unusable >= 0)
      throw new Refusal('request.invalid').because(
        `keys.${unusable}: is no usable key: a point must be one of its curve, a modulus must have 2048 bits`,
      );
    await this.changeEntry(request, 'client.keys_changed', async (client, tx) => {
      checkNotManaged(client);
      const removed = client.keys.filter((key) => !keys.some((one) => isSameKey(one, key)));
      const endsTokens = removed.length > 0 || (required && !client.requires_key);
      await this.store.setKeys(client.client_id, { keys, requires_key: required }, endsTokens, tx);
      if (endsTokens) await this.endAll(client.client_id, tx);
      return { count: keys.length, kind: required ? 'key' : 'key_or_secret' };
    });
    return this.readKeys(request);
  }

  async delete(client: OwnedClient): Promise<void> {
    const { client_id } = await this.find(client);
    await this.remove(client_id, client.company_user_id);
  }

  /** Withdraws a client in two repeatable steps: once nothing more can be registered under the id, the last one is deleted. */
  async withdraw({ company_user_id, service_id, client_id }: MessageOf<typeof FRONT_DOOR.withdrawClient>): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.accounts.lockCompany(company_user_id, tx);
      await this.store.withdraw(client_id ?? service_id, this.clock.now(), tx);
    });
    const registered = await this.store.findOwned({ company_user_id, service_id });
    if (!registered || (client_id !== undefined && registered.client_id !== client_id)) return;
    await this.remove(registered.client_id, company_user_id);
  }

  private remove(client_id: string, account_id: string): Promise<void> {
    return this.clients.change(client_id, async (tx) => {
      await this.store.remove(client_id, tx);
      await this.audit.record(tx, { act: 'client.deleted', account_id, object: client_id });
    });
  }

  private async changeEntry(
    request: OwnedClient,
    act: AuditAct,
    work: (client: ClientEntry, tx: EntityManager) => Promise<AuditDetails | void>,
  ): Promise<RegisteredClient> {
    const { client_id } = await this.find(request);
    return this.clients.change(client_id, async (tx) => {
      await this.store.hold(client_id, tx);
      const details = (await work(await this.find(request, tx), tx)) ?? {};
      await this.audit.record(tx, { act, account_id: request.company_user_id, object: client_id, details });
      return presentClient(await this.find(request, tx));
    });
  }

  private async find(request: OwnedClient, tx?: EntityManager): Promise<ClientEntry> {
    const client = await this.store.findOwned(request, tx);
    if (!client) throw new Refusal(notFoundKey(request));
    return client;
  }

  /** Refuses a client that may not be registered. Returns its region, that of its company. Data clients need a paid level. @spec D1-4.5 */
  private async checkMayRegister(client: CompanyClient, tx: EntityManager): Promise<string> {
    const { client_id, service_id, kind, purpose, company_user_id } = client;
    const company = await this.accounts.lockCompany(company_user_id, tx);
    if (!company) throw new Refusal('request.invalid').because(`There is no company ${company_user_id}`);
    if (await this.store.isWithdrawn([client_id, service_id], tx)) throw new Refusal('services.not_found');
    if (kind === 'service' && company.level === 'free')
      throw new Refusal('account.level_required').because('A data client needs the level basic or above');
    if (kind === 'account' && !isManaged(purpose)) await this.checkCapacity(company_user_id, tx);
    if (kind === 'app') await this.checkAppCapacity(client, tx);
    return company.region;
  }

  private isSame({ client_id, company_user_id, service_id, secret_digest }: CompanyClient, registered: EntitledRow | undefined): boolean {
    const verifier = registered?.secret_hash && verifierOf(this.peppers, client_id, registered.secret_hash);
    const hasSecret = verifier && matchingVerifier([verifier], secret_digest, this.clock.now()) !== undefined;
    return Boolean(hasSecret) && registered!.company_user_id === company_user_id && registered!.service_id === service_id;
  }

  private async checkCapacity(company_user_id: string, tx: EntityManager): Promise<void> {
    const own = (await this.store.purposes(company_user_id, tx)).filter((purpose) => !isManaged(purpose));
    if (own.length >= ACCOUNT_CLIENTS)
      throw new Refusal('request.invalid').because(`A company has at most ${ACCOUNT_CLIENTS} clients: delete one first`);
  }

  /** A request that comes twice finds the app that it registered, however many there are. */
  private async checkAppCapacity({ client_id, company_user_id }: CompanyClient, tx: EntityManager): Promise<void> {
    if ((await this.store.countApps(company_user_id, tx)) < SIGN_IN_APPS_PER_COMPANY || (await this.store.find(client_id, tx))) return;
    throw new Refusal('request.invalid').because(`A company has at most ${SIGN_IN_APPS_PER_COMPANY} sign-in apps: delete one first`);
  }
}

const notFoundKey = ({ app_id, service_id }: OwnedClient): PlainKey =>
  app_id !== undefined ? 'oauth_apps.not_found' : service_id !== undefined ? 'services.client_not_found' : 'account_clients.not_found';

const ownedOf = ({ kind, company_user_id, client_id, service_id }: CompanyClient): OwnedClient =>
  kind === 'app' ? { company_user_id, app_id: client_id } : { company_user_id, client_id, service_id: service_id ?? undefined };

const nothingFurther: Further = async () => ({});

/** Returns which redirect URIs came and which went. @spec D1-4.6 */
const differencesOf = (before: readonly string[], after: readonly string[]): AuditDetails => ({
  redirect_uris_added: auditedUris(after.filter((uri) => !before.includes(uri))),
  redirect_uris_removed: auditedUris(before.filter((uri) => !after.includes(uri))),
});

/** Returns redirect URIs as the audit has them. */
const auditedUris = (uris: readonly string[]): string[] => uris.map(auditedUri);

/**
 * Returns a redirect URI as the audit has it. The path of a long one is cut, because the audit is read in pages of many rows, and a short
 * hash tells what was cut. The host is never cut: its end says whose it is.
 */
function auditedUri(uri: string): string {
  const { protocol, host } = new URL(uri);
  const shown = uri.slice(0, Math.max(AUDITED_URI_CHARS, `${protocol}//${host}`.length));
  if (shown === uri) return uri;
  return `${shown}… (SHA-256 ${createHash('sha256').update(uri).digest('hex').slice(0, 16)})`;
}

const presentKeys = ({ client_id, keys, requires_key }: ClientEntry): RegisteredKeys => ({ client_id, keys, required: requires_key });

/** Whether two keys are the same one, whatever they are called. */
const isSameKey = (one: ClientKey, other: ClientKey): boolean => materialOf(one) === materialOf(other);
const materialOf = (key: ClientKey): string => (key.kty === 'RSA' ? key.n : key.kty === 'EC' ? `${key.x}.${key.y}` : key.x);

function checkNotManaged({ purpose }: ClientEntry): void {
  if (isManaged(purpose)) throw new Refusal('account_clients.purpose_managed');
}

function refuseTaken(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string };
  const key = code === '23505' ? UNIQUE[constraint ?? ''] : undefined;
  throw key ? new Refusal(key) : error;
}

/** A client as its company's region reads it. A client may have several redirect addresses, of which companies set one. */
function presentClient({
  client_id,
  kind,
  company_user_id,
  service_id,
  name,
  purpose,
  capabilities,
  redirect_uris,
  dpop_bound_access_tokens,
  created_at,
}: ClientEntry): RegisteredClient {
  if (kind === 'portal' || kind === 'person' || company_user_id === null) throw new Error('a first-party client belongs to no company');
  return {
    client_id,
    kind,
    company_user_id,
    service_id,
    name,
    purpose,
    capabilities: [...capabilities],
    redirect_uri: redirect_uris[0] ?? null,
    dpop_bound_access_tokens,
    created_at: created_at.toISOString(),
  };
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)];
