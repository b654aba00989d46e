import { Refusal } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { Slice } from '../../kit/paging.ts';
import { writeLogs } from './log.store.ts';
import type { OwnService, ServiceRow } from './service-row.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { ServiceEntity } from './service.entity.ts';

/** Returns a service of the company. A service of another company is not found, like one that does not exist. @gap D1-4.6 */
export const findService = async (db: Db, { company_user_id, service_id }: OwnService): Promise<ServiceRow> =>
  found(await one<ServiceRow>(db)`select * from service where service_id = ${service_id} and company_user_id = ${company_user_id}`);

/** Returns and locks a service of the company, to change it or what belongs to it. One that is being deleted is not found. */
export const lockService = async (tx: EntityManager, { company_user_id, service_id }: OwnService): Promise<ServiceRow> =>
  found(
    await one<ServiceRow>(tx)`
    select * from service where service_id = ${service_id} and company_user_id = ${company_user_id}
       and transition is distinct from 'deleting' for update`,
  );

/** Returns a service of the company that does not change before the transaction ends. Several transactions may hold it at once. */
export const holdService = async (tx: EntityManager, { company_user_id, service_id }: OwnService): Promise<ServiceRow> =>
  found(
    await one<ServiceRow>(tx)`
    select * from service where service_id = ${service_id} and company_user_id = ${company_user_id}
       and transition is distinct from 'deleting' for share`,
  );

/** Returns those of the services that the company has and is not deleting. */
export async function servicesAmong(db: Db, company_user_id: string, service_ids: readonly string[]): Promise<string[]> {
  const rows = await many<OwnService>(db)`
    select service_id from service
     where company_user_id = ${company_user_id} and service_id = any(${service_ids}::text[]) and transition is distinct from 'deleting'`;
  return rows.map(({ service_id }) => service_id);
}

/** Returns a service by the share code that its company gave it. @spec D1-2.4 */
export const findServiceByCode = (db: Db, company_user_id: string, share_code: string) =>
  one<ServiceRow>(db)`select * from service where company_user_id = ${company_user_id} and share_code = ${share_code}`;

function found(row: ServiceRow | undefined): ServiceRow {
  if (!row) throw new Refusal('services.not_found');
  return row;
}

/** Returns the services of a company, the oldest first, and one more than the limit. */
export const listServices = (db: Db, company_user_id: string, { limit, after }: Slice) => many<ServiceRow>(db)`
  select * from service
   where company_user_id = ${company_user_id}
     and (${after?.id ?? null}::text is null or (created_at, service_id) > (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
   order by created_at, service_id
   limit ${limit + 1}`;

/** The class of the advisory locks by which a company adds one service at a time: "serv". */
const SERVICE_COUNT_LOCK = 0x73657276;

/** Returns how many services a company has. The lock lets only one transaction at a time count the services in order to add one. */
export async function countServices(tx: EntityManager, company_user_id: string): Promise<number> {
  await one(tx)`select pg_advisory_xact_lock(${SERVICE_COUNT_LOCK}, hashtext(${company_user_id}))`;
  return tx.getRepository(ServiceEntity).countBy({ company_user_id });
}

/** Returns services of all companies, in the order of their ids. */
export const servicesAfter = (db: Db, service_id: string, limit: number) =>
  many<OwnService>(db)`select company_user_id, service_id from service where service_id > ${service_id} order by service_id limit ${limit}`;

/** The columns that a new service is given; the others have defaults. */
export type NewServiceRow = OwnService &
  Pick<ServiceRow, 'name' | 'share_code' | 'admin_email' | 'public_key' | 'encrypted_private_key' | 'private_key_pem' | 'created_at'>;

/** Adds a service. Returns undefined when another service of the company has the share code. */
export const addService = (tx: EntityManager, row: NewServiceRow) => one<ServiceRow>(tx)`
  insert into service (service_id, company_user_id, name, share_code, admin_email, public_key,
                       encrypted_private_key, private_key_pem, created_at)
  values (${row.service_id}, ${row.company_user_id}, ${row.name}, ${row.share_code}, ${row.admin_email}, ${row.public_key},
          ${JSON.stringify(row.encrypted_private_key)}, ${row.private_key_pem}, ${row.created_at})
  on conflict (company_user_id, share_code) do nothing
  returning *`;

type Changeable = 'share_code' | 'number_matching' | 'audience' | 'shared_fields' | 'photo_id';
export type ServiceChange = Partial<Pick<ServiceRow, Changeable>>;

/** Writes the columns that change. The caller has locked the row. */
export async function changeService(tx: EntityManager, service: ServiceRow, change: ServiceChange): Promise<ServiceRow> {
  const { share_code, number_matching, audience, shared_fields, photo_id } = { ...service, ...change };
  const changed = await one<ServiceRow>(tx)`
    update service
       set share_code = ${share_code}, number_matching = ${number_matching}, audience = ${audience},
           shared_fields = ${shared_fields}, photo_id = ${photo_id}
     where service_id = ${service.service_id}
    returning *`.catch((error: unknown) => {
    throw isTaken(error)
      ? new Refusal('services.share_code_taken').because('share_code: another of your services has it; choose another')
      : error;
  });
  return changed!;
}

/** Removes a contact field from what the services of a company show, which are locked in the order of their ids. */
export async function hideField(tx: EntityManager, company_user_id: string, slug: string, now: Date): Promise<void> {
  const changed = await many<ServiceRow>(tx)`
    with shown as materialized (
      select service_id from service where company_user_id = ${company_user_id} and ${slug} = any(shared_fields)
       order by service_id for no key update)
    update service s set shared_fields = array_remove(s.shared_fields, ${slug})
      from shown where s.service_id = shown.service_id
    returning s.*`;
  await logHidden(tx, changed, 'A contact field', now);
}

/** Removes a photo from what the services of a company show, which are locked in the order of their ids. */
export async function hidePhoto(tx: EntityManager, company_user_id: string, photo_id: string, now: Date): Promise<void> {
  const changed = await many<ServiceRow>(tx)`
    with shown as materialized (
      select service_id from service where company_user_id = ${company_user_id} and photo_id = ${photo_id}
       order by service_id for no key update)
    update service s set photo_id = null from shown where s.service_id = shown.service_id
    returning s.*`;
  await logHidden(tx, changed, 'A photo', now);
}

function logHidden(tx: EntityManager, services: readonly OwnService[], what: string, now: Date): Promise<void> {
  const logged = { kind: LOG_KINDS.share_config_changed, message: `${what} was deleted, so the service does not show it any more` };
  const entries = services.map((own) => ({ own, ...logged }));
  return writeLogs(tx, entries, now);
}

/** Deletes a service, and with it its request fields, webhooks and log. */
export const removeService = (tx: EntityManager, { service_id }: OwnService) =>
  execute(tx)`delete from service where service_id = ${service_id}`;

/** Deletes the services of a deleted company: at most one, which it was making, for it had none when it asked. @gap D1-5.8 */
export const removeServicesOf = (tx: EntityManager, company_user_id: string) =>
  execute(tx)`delete from service where company_user_id = ${company_user_id}`;

/** Whether the error says that another service of the company already has the share code. @spec D1-2.4 */
const isTaken = (error: unknown) => (error as { constraint?: string }).constraint === 'service_company_user_id_share_code_key';

/** A service as an operator provisions it. */
export type ProvisionedService = OwnService &
  Pick<ServiceEntity, 'name' | 'share_code' | 'admin_email' | 'public_key' | 'encrypted_private_key'>;

/** Adds a service, or fills in what one lacks: provisioning can be repeated. The operator vouches for the admin e-mail. */
export const provisionService = (db: Db, service: ProvisionedService, now: Date): Promise<unknown> => {
  const { service_id, company_user_id, name, share_code, admin_email, public_key, encrypted_private_key } = service;
  return execute(db)`
    insert into service as s (service_id, company_user_id, name, share_code, admin_email, admin_email_confirmed_at, public_key,
                              encrypted_private_key, created_at)
    values (${service_id}, ${company_user_id}, ${name}, ${share_code}, ${admin_email}, ${now}, ${public_key}, ${encrypted_private_key},
            ${now})
    on conflict (service_id) do update
       set admin_email_confirmed_at = case when s.admin_email = '' then excluded.created_at else s.admin_email_confirmed_at end,
           admin_email = case when s.admin_email = '' then excluded.admin_email else s.admin_email end,
           encrypted_private_key = coalesce(s.encrypted_private_key, excluded.encrypted_private_key)`;
};
