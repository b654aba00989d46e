import { many, sql, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';

/** Notes in the customer's home region that the company may have a connection of it. */
export const noteCompany = (tx: EntityManager, customer_user_id: string, company_user_id: string) =>
  many(
    tx,
    sql`
    insert into customer_company (customer_user_id, company_user_id) values (${customer_user_id}, ${company_user_id})
    on conflict do nothing`,
  );

/** It has none any more. */
export const forgetCompany = (tx: EntityManager, customer_user_id: string, company_user_id: string) =>
  many(tx, sql`delete from customer_company where customer_user_id = ${customer_user_id} and company_user_id = ${company_user_id}`);

/** The companies that may have a connection of the customer, and live elsewhere. */
export async function listCompaniesElsewhere(db: Db, customer_user_id: string): Promise<string[]> {
  const companies = await many<{ company_user_id: string }>(
    db,
    sql`
    select c.company_user_id
      from customer_company c left join profile p on p.user_id = c.company_user_id
     where c.customer_user_id = ${customer_user_id} and (p.home is null or p.home = 'arriving')`,
  );
  return companies.map(({ company_user_id }) => company_user_id);
}
