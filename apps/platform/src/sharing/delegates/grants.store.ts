import type { DELEGATION_SUBJECTS } from '@codase/contracts';
import { many, one, type Db } from '@codase/runtime/db';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { EntityManager } from 'typeorm';
import type { DelegatedServiceRow, GrantRow } from './delegate-row.ts';
import { DelegateGrantEntity } from './delegate.entity.ts';

/**
 * Grants a service, or replaces the passphrase of the grant that there is. When the key was first read stays: a service has one key, so who
 * has read it knows it, however often its passphrase is sealed. Returns the grant, and whether it had a key before; undefined when nothing
 * changed. The caller has locked the delegate.
 */
export const putGrant = (tx: EntityManager, row: Omit<DelegateGrantEntity, 'key_read_at'>) =>
  one<{ grant_id: string; had_key: boolean }>(tx)`
    with earlier as (select passphrase from delegate_grant where delegate_id = ${row.delegate_id} and service_id = ${row.service_id})
    insert into delegate_grant as g (grant_id, delegate_id, service_id, company_user_id, passphrase, granted_at)
    values (${row.grant_id}, ${row.delegate_id}, ${row.service_id}, ${row.company_user_id}, ${row.passphrase}, ${row.granted_at})
    on conflict (delegate_id, service_id) do update set passphrase = excluded.passphrase
     where g.passphrase is distinct from excluded.passphrase
    returning grant_id, exists (select from earlier where passphrase is not null) as had_key`;

export const countGrants = (tx: EntityManager, delegate_id: string): Promise<number> =>
  tx.getRepository(DelegateGrantEntity).countBy({ delegate_id });

/** Takes a service from a delegate. Returns the id of the grant; undefined when it was not granted. */
export const removeGrant = async (tx: EntityManager, delegate_id: string, service_id: string): Promise<string | undefined> =>
  (
    await one<{ grant_id: string }>(tx)`
      delete from delegate_grant where delegate_id = ${delegate_id} and service_id = ${service_id} returning grant_id`
  )?.grant_id;

/** Returns the services that were granted to some delegates, but for those that are being deleted. */
export const listGrants = (db: Db, delegate_ids: readonly string[]): Promise<GrantRow[]> =>
  many<GrantRow>(db)`
    select g.delegate_id, g.service_id, s.name, g.passphrase is not null as has_key, g.key_read_at
      from delegate_grant g
      join service s on s.company_user_id = g.company_user_id and s.service_id = g.service_id and s.transition is distinct from 'deleting'
     where g.delegate_id = any(${delegate_ids}::text[])
     order by g.granted_at, g.service_id`;

/** What a delegate asks for: a service, and the delegation by which it was granted. */
export type OwnGrant = MessageOf<typeof DELEGATION_SUBJECTS.readKey>;

/** Returns a service that was granted to a user; undefined when this region has no such grant. */
export const findGranted = (db: Db, { user_id, delegation_id, service_id }: OwnGrant): Promise<DelegatedServiceRow | undefined> =>
  one<DelegatedServiceRow>(db)`
    select g.*, s.name, s.public_key, s.encrypted_private_key, g.passphrase is not null as has_key
      from delegate d
      join delegate_grant g on g.company_user_id = d.company_user_id and g.delegate_id = d.delegate_id and g.service_id = ${service_id}
      join service s on s.company_user_id = g.company_user_id and s.service_id = g.service_id and s.transition is distinct from 'deleting'
      join profile p on p.user_id = d.company_user_id and p.home <> 'arriving'
     where d.delegate_id = ${delegation_id} and d.delegate_user_id = ${user_id}`;

/** Locks a grant, so that it is neither taken back nor replaced until the transaction ends. */
export const lockGrant = (tx: EntityManager, { delegation_id, service_id }: OwnGrant) =>
  one(tx)`select 1 from delegate_grant where delegate_id = ${delegation_id} and service_id = ${service_id} for update`;

/** Notes when the key was first read. The caller has locked the grant. */
export const noteKeyRead = (tx: EntityManager, { grant_id }: DelegatedServiceRow, now: Date) =>
  tx.getRepository(DelegateGrantEntity).update({ grant_id }, { key_read_at: now });
