import { Inject, Injectable } from '@nestjs/common';
import type { Capability } from '@codase/contracts';
import { column, execute, hasRow, many, one, type Db } from '@codase/runtime/db';
import { In, LessThan, LessThanOrEqual } from 'typeorm';
import type { ListPosition } from '../../kit/paging.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ClientRow } from './client-row.ts';
import { ClientEntity, WithdrawnClientEntity } from './client.entity.ts';

/** What a company knows of its client. */
interface Described {
  name: string;
  purpose: string | null;
  capabilities: readonly Capability[];
  redirect_uris: readonly string[];
}

/** What is kept of the secrets of a client: hashes, and the old one with its end while a secret is being replaced. */
export type KeptSecrets = Pick<ClientEntity, 'secret_hash' | 'old_secret_hash' | 'old_secret_until'>;

/** A client with the capability groups that were granted to it. */
export interface EntitledRow extends Omit<ClientRow, 'secrets'>, KeptSecrets, Pick<Described, 'capabilities'> {}

/** Which secret a client has now. A new secret gets a new id, which says nothing of the secret. */
export interface ClientSecretId extends Pick<ClientRow, 'client_id' | 'service_id'> {
  kind: 'service' | 'account' | 'app';
  secret_id: string;
}

/** A client as it is added; its level is that of its company. */
interface AddedClient
  extends
    Omit<ClientRow, 'level' | 'disabled' | 'secrets' | 'secret_version' | 'keys' | 'requires_key' | 'dpop_bound_access_tokens'>,
    Pick<KeptSecrets, 'secret_hash'>,
    Described {}

/** A client as its company sees it. */
export interface ClientEntry
  extends
    Described,
    Pick<ClientRow, 'client_id' | 'kind' | 'company_user_id' | 'service_id' | 'keys' | 'requires_key' | 'dpop_bound_access_tokens'> {
  created_at: Date;
}

/** What a sign-in needs to know of the client that asks for it. */
export interface SignInClient
  extends
    Pick<Described, 'name' | 'capabilities' | 'redirect_uris'>,
    Omit<
      ClientRow,
      'secrets' | 'secret_version' | 'keys' | 'requires_key' | 'dpop_bound_access_tokens' | 'patterns' | 'level' | 'disabled'
    > {}

/**
 * How long withdrawals are kept. A request to register waits on the bus for seconds at most, but withdrawals also say which services were
 * deleted after a backup of a region's database was made.
 */
const WITHDRAWN_MS = 35 * 24 * 60 * 60_000;

/** A client of a company: an account client by its own id, a data client by its service, a sign-in app by its id as `app_id`. */
export interface OwnedClient {
  company_user_id: string;
  client_id?: string | undefined;
  service_id?: string | undefined;
  app_id?: string | undefined;
}

/** The client registry, owned by the front door. */
@Injectable()
export class ClientsStore {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** A client and what it was granted. */
  find(client_id: string, db: Db = this.db): Promise<EntitledRow | undefined> {
    return one<EntitledRow>(db)`
      select client_id, kind, company_user_id, service_id, region, epoch, secret_version, dpop_bound_access_tokens,
             secret_hash, old_secret_hash, old_secret_until, capabilities, keys, requires_key,
             (select level from account a where a.user_id = c.company_user_id) as level,
             disabled_at is not null
               or exists (select from account a where a.user_id = c.company_user_id and a.disabled_at is not null) as disabled,
             array(select pattern from client_pattern p where p.client_id = c.client_id order by pattern) as patterns
        from client c
       where client_id = ${client_id}`;
  }

  /** A client as its sign-in page shows it; undefined when the client or its company is disabled. */
  findForSignIn(client_id: string): Promise<SignInClient | undefined> {
    return one<SignInClient>(this.db)`
      select client_id, kind, name, capabilities, redirect_uris, company_user_id, service_id, region, epoch
        from client c
       where client_id = ${client_id} and disabled_at is null
         and not exists (select from account a where a.user_id = c.company_user_id and a.disabled_at is not null)`;
  }

  /** Some clients and what they were granted, in the order of their ids. */
  after(client_id: string, limit: number, db: Db = this.db): Promise<EntitledRow[]> {
    return many<EntitledRow>(db)`
      select client_id, kind, company_user_id, service_id, region, epoch, secret_version, dpop_bound_access_tokens,
             secret_hash, old_secret_hash, old_secret_until, capabilities, keys, requires_key,
             (select level from account a where a.user_id = c.company_user_id) as level,
             disabled_at is not null
               or exists (select from account a where a.user_id = c.company_user_id and a.disabled_at is not null) as disabled,
             array(select pattern from client_pattern p where p.client_id = c.client_id order by pattern) as patterns
        from client c
       where client_id > ${client_id}
       order by client_id
       limit ${limit}`;
  }

  /** Locks one client until the transaction ends. Read it in a later statement: this one does not see a change that it waited for. */
  async hold(client_id: string, tx: Db): Promise<void> {
    await one(tx)`select 1 from client where client_id = ${client_id} for update`;
  }

  /** Locks some clients against changes, in the order of their ids. Returns their ids. */
  async holdAfter(client_id: string, limit: number, tx: Db): Promise<ReadonlySet<string>> {
    const locked = await many<{ client_id: string }>(tx)`
      select client_id from client where client_id > ${client_id} order by client_id limit ${limit} for share`;
    return new Set(locked.map((row) => row.client_id));
  }

  /** Adds a client with its patterns, or leaves an existing one as it is. Returns whether it was added. */
  add(client: AddedClient, now: Date, db: Db = this.db): Promise<boolean> {
    return hasRow(db)`
      with added as (
        insert into client (client_id, kind, company_user_id, service_id, region, epoch, secret_hash, name, purpose, capabilities,
          redirect_uris, created_at)
        values (${client.client_id}, ${client.kind}, ${client.company_user_id}, ${client.service_id}, ${client.region}, ${client.epoch},
                ${client.secret_hash}, ${client.name}, ${client.purpose}, ${client.capabilities}, ${client.redirect_uris}, ${now})
        on conflict (client_id) do nothing
        returning client_id),
      patterns as (
        insert into client_pattern
        select client_id, unnest(${client.patterns}::text[]) from added)
      select client_id from added`;
  }

  /** Returns a client of that company; undefined for a client of another company, as for one that does not exist. @spec D1-4.6 */
  findOwned({ company_user_id, client_id, service_id, app_id }: OwnedClient, db: Db = this.db): Promise<ClientEntry | undefined> {
    return one<ClientEntry>(db)`
      select client_id, kind, company_user_id, service_id, name, purpose, capabilities, redirect_uris, created_at, keys, requires_key,
             dpop_bound_access_tokens
        from client
       where company_user_id = ${company_user_id}
         and ((kind = 'account' and client_id = ${client_id ?? null}) or (kind = 'service' and service_id = ${service_id ?? null})
              or (kind = 'app' and client_id = ${app_id ?? null}))`;
  }

  /** Returns those of the clients that the company has, each with the id of its current secret. */
  secretIds(company_user_id: string, client_ids: readonly string[]): Promise<ClientSecretId[]> {
    return many<ClientSecretId>(this.db)`
      select client_id, kind, service_id, secret_id from client
       where company_user_id = ${company_user_id} and client_id = any(${client_ids}::text[]) and kind in ('service', 'account', 'app')`;
  }

  /** Returns a page of a company's account clients, the oldest first. */
  list(company_user_id: string, limit: number, after: ListPosition | undefined): Promise<ClientEntry[]> {
    return many<ClientEntry>(this.db)`
      select client_id, kind, company_user_id, service_id, name, purpose, capabilities, redirect_uris, created_at, keys, requires_key,
             dpop_bound_access_tokens
        from client
       where company_user_id = ${company_user_id} and kind = 'account'
         and (${after?.at ?? null}::timestamptz is null
              or (created_at, client_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
       order by created_at, client_id
       limit ${limit}`;
  }

  /** The purposes of a company's account clients, one for each client. */
  purposes(company_user_id: string, tx: Db): Promise<(string | null)[]> {
    return column<string | null>(tx)`
      select purpose from client where company_user_id = ${company_user_id} and kind = 'account'`;
  }

  async countApps(company_user_id: string, tx: Db): Promise<number> {
    const counted = await one<{ n: number }>(tx)`
      select count(*)::integer as n from client where company_user_id = ${company_user_id} and kind = 'app'`;
    return counted!.n;
  }

  async rename(client_id: string, name: string, tx: Db): Promise<void> {
    await execute(tx)`update client set name = ${name} where client_id = ${client_id}`;
  }

  async change(
    client_id: string,
    { capabilities, redirect_uris }: Pick<Described, 'capabilities' | 'redirect_uris'>,
    tx: Db,
  ): Promise<void> {
    await execute(tx)`update client set capabilities = ${capabilities}, redirect_uris = ${redirect_uris} where client_id = ${client_id}`;
  }

  async demandBoundTokens(client_id: string, isDemanded: boolean, tx: Db): Promise<void> {
    await tx.getRepository(ClientEntity).update({ client_id }, { dpop_bound_access_tokens: isDemanded });
  }

  /** Replaces the patterns of a client. Returns those that are new. */
  setPatterns(client_id: string, patterns: readonly string[], tx: Db): Promise<string[]> {
    return column<string>(tx)`
      with gone as (
        delete from client_pattern where client_id = ${client_id} and pattern <> all(${patterns}::text[]))
      insert into client_pattern
      select ${client_id}, unnest(${patterns}::text[])
      on conflict do nothing
      returning pattern`;
  }

  async keptSecrets(client_id: string): Promise<KeptSecrets | undefined> {
    return (await this.db.getRepository(ClientEntity).findOneBy({ client_id })) ?? undefined;
  }

  /** Replaces the secret, and raises the epoch, which ends every token of the epoch before. @spec D1-5.1 */
  async replaceSecret(client_id: string, secret_hash: string, tx: Db): Promise<void> {
    await execute(tx)`
      update client set secret_hash = ${secret_hash}, old_secret_hash = null, old_secret_until = null, epoch = epoch + 1,
             secret_version = secret_version + 1, secret_id = gen_random_uuid()
       where client_id = ${client_id}`;
  }

  /** Adds a new secret. The old one stays valid until `until`, and so do tokens. A secret that was replaced before ends now. @gap D1-4.6 */
  async addSecret(client_id: string, secret_hash: string, until: Date, tx: Db): Promise<void> {
    await execute(tx)`
      update client set old_secret_hash = secret_hash, old_secret_until = ${until}, secret_hash = ${secret_hash},
             secret_version = secret_version + 1, secret_id = gen_random_uuid()
       where client_id = ${client_id}`;
  }

  /** Ends the old secret, and with the epoch every token: nobody knows which came from it. Returns whether there was one. @gap D1-4.6 */
  endOldSecret(client_id: string, tx: Db): Promise<boolean> {
    return hasRow(tx)`
      update client set old_secret_hash = null, old_secret_until = null, epoch = epoch + 1,
             secret_version = secret_version + 1
       where client_id = ${client_id} and old_secret_hash is not null
      returning client_id`;
  }

  /**
   * Replaces the public keys. The version of the secrets is raised too: what authenticates the client has changed. With `endsTokens` the
   * epoch is raised, because nobody knows which token came from what is gone. @gap D1-5.2
   */
  async setKeys(
    client_id: string,
    { keys, requires_key }: Pick<ClientRow, 'keys' | 'requires_key'>,
    endsTokens: boolean,
    tx: Db,
  ): Promise<void> {
    await execute(tx)`
      update client set keys = ${JSON.stringify(keys)}::jsonb, requires_key = ${requires_key}, secret_version = secret_version + 1,
             epoch = epoch + ${endsTokens ? 1 : 0}
       where client_id = ${client_id}`;
  }

  /** Clients whose old secret has come to its end. */
  async endedSecrets(now: Date, limit: number): Promise<string[]> {
    const rows = await this.db.getRepository(ClientEntity).find({
      select: { client_id: true },
      where: { old_secret_until: LessThanOrEqual(now) },
      order: { client_id: 'ASC' },
      take: limit,
    });
    return rows.map(({ client_id }) => client_id);
  }

  /** Deletes the hash of an old secret that is no longer valid. Tokens are not affected. */
  async forgetEndedSecret(client_id: string, now: Date, tx: Db): Promise<void> {
    const ended = { client_id, old_secret_until: LessThanOrEqual(now) };
    await tx.getRepository(ClientEntity).update(ended, { old_secret_hash: null, old_secret_until: null });
  }

  /** Replaces a hash by another hash of the same secret. */
  async rehashSecret(client_id: string, { before, after }: { before: string; after: string }, tx: Db): Promise<void> {
    await execute(tx)`
      update client
         set secret_hash = case when secret_hash = ${before} then ${after} else secret_hash end,
             old_secret_hash = case when old_secret_hash = ${before} then ${after} else old_secret_hash end
       where client_id = ${client_id} and ${before} in (secret_hash, old_secret_hash)`;
  }

  /** Clients with a valid secret that was hashed under another pepper than this one, in the order of their ids. */
  underOtherPeppers(pepper_id: string, now: Date): Promise<string[]> {
    return column<string>(this.db)`
      select client_id from client
       where secret_hash <> 'revoked' and split_part(secret_hash, ':', 1) <> ${pepper_id}
          or old_secret_until > ${now} and split_part(old_secret_hash, ':', 1) <> ${pepper_id}
       order by client_id`;
  }

  /** Returns those of the ids that no client has. */
  missing(client_ids: readonly string[]): Promise<string[]> {
    return column<string>(this.db)`
      select id as client_id from unnest(${client_ids}::text[]) as id where not exists (select from client c where c.client_id = id)`;
  }

  /** Revokes the secrets and keys of a client: none is valid any more, and no token of an epoch before this one. */
  async revokeSecret(client_id: string, { epoch, secret_version }: Pick<ClientRow, 'epoch' | 'secret_version'>, tx: Db): Promise<void> {
    await execute(tx)`
      update client set secret_hash = 'revoked', old_secret_hash = null, old_secret_until = null, epoch = ${epoch},
             secret_version = ${secret_version}, secret_id = gen_random_uuid(), keys = '[]', requires_key = false
       where client_id = ${client_id}`;
  }

  async setRedirects(client_id: string, redirect_uris: readonly string[]): Promise<void> {
    await this.db.getRepository(ClientEntity).update({ client_id }, { redirect_uris: [...redirect_uris] });
  }

  /** Sets the region of a company's clients, which live where the company lives. Returns their ids. */
  setRegion(company_user_id: string, region: string, tx: Db): Promise<string[]> {
    return column<string>(tx)`
      update client set region = ${region} where company_user_id = ${company_user_id} returning client_id`;
  }

  /** The ids of a company's clients, in order. */
  async ofCompany(company_user_id: string, db: Db): Promise<string[]> {
    const rows = await db.getRepository(ClientEntity).find({
      select: { client_id: true },
      where: { company_user_id },
      order: { client_id: 'ASC' },
    });
    return rows.map(({ client_id }) => client_id);
  }

  /** Disables or enables a client. Returns whether there is such a client. */
  async setDisabled(client_id: string, disabled_at: Date | null, tx: Db): Promise<boolean> {
    return (await tx.getRepository(ClientEntity).update({ client_id }, { disabled_at })).affected === 1;
  }

  /** Notes that a client, or every client of a service, must not be registered any more. Deletes notes that are too old to be needed. */
  async withdraw(id: string, now: Date, tx: Db): Promise<void> {
    await tx.createQueryBuilder().insert().into(WithdrawnClientEntity).values({ id, withdrawn_at: now }).orIgnore().execute();
    const forgotten = new Date(now.getTime() - WITHDRAWN_MS);
    await tx.getRepository(WithdrawnClientEntity).delete({ withdrawn_at: LessThan(forgotten) });
  }

  /** Returns those of the clients or services that were withdrawn. */
  async withdrawnAmong(ids: readonly string[], db: Db = this.db): Promise<string[]> {
    const rows = await db.getRepository(WithdrawnClientEntity).find({ where: { id: In(ids) }, order: { id: 'ASC' } });
    return rows.map(({ id }) => id);
  }

  async isWithdrawn(ids: readonly (string | null)[], tx: Db): Promise<boolean> {
    return tx.getRepository(WithdrawnClientEntity).existsBy({ id: In(ids.filter((id) => id !== null)) });
  }

  /** Deletes a client. Its patterns, sign-ins and tokens are deleted with it. @spec D1-4.6 */
  async remove(client_id: string, tx: Db): Promise<void> {
    await tx.getRepository(ClientEntity).delete({ client_id });
  }
}
