import { many, one } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { ServiceRow } from './service-row.ts';
import { ServiceEntity } from './service.entity.ts';

/** Sets the admin e-mail of a locked or new service. An address that the company confirmed for any service counts as confirmed. */
export const setAdminEmail = async (tx: EntityManager, service: ServiceRow, admin_email: string): Promise<ServiceRow> =>
  (await one<ServiceRow>(tx)`
    update service set admin_email = ${admin_email},
           admin_email_confirmed_at = (
             select max(other.admin_email_confirmed_at) from service other
              where other.company_user_id = ${service.company_user_id} and lower(other.admin_email) = lower(${admin_email}))
     where service_id = ${service.service_id}
    returning *`)!;

/** Stores the hash of a new code, which replaces an earlier one. */
export const setAdminEmailCode = (tx: EntityManager, { service_id }: ServiceRow, code_hash: string, ends_at: Date) =>
  tx
    .getRepository(ServiceEntity)
    .update({ service_id }, { admin_email_code_hash: code_hash, admin_email_code_ends_at: ends_at, admin_email_code_failures: 0 });

export const countWrongCode = (tx: EntityManager, { service_id }: ServiceRow) =>
  tx.getRepository(ServiceEntity).increment({ service_id }, 'admin_email_code_failures', 1);

/** Confirms the address for every service that has it. One that is being changed is skipped: no two confirmations wait for each other. */
export async function confirmAdminEmail(tx: EntityManager, service: ServiceRow, now: Date): Promise<ServiceRow> {
  const confirmed = await many<ServiceRow>(tx)`
    update service set admin_email_confirmed_at = ${now}, admin_email_code_hash = null, admin_email_code_ends_at = null
     where service_id in (
       select service_id from service
        where company_user_id = ${service.company_user_id} and lower(admin_email) = lower(${service.admin_email})
          and admin_email_confirmed_at is null
          for update skip locked)
    returning *`;
  return confirmed.find(({ service_id }) => service_id === service.service_id)!;
}
