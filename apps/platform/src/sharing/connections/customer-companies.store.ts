import { column, execute, hasRow, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { Search } from '../../foundation/peers/index.ts';

/** Notes in the home region of a customer that the customer may have a connection to the company. */
export const noteCompany = (tx: EntityManager, customer_user_id: string, company_user_id: string) =>
  execute(tx)`
    insert into customer_company (customer_user_id, company_user_id) values (${customer_user_id}, ${company_user_id})
    on conflict do nothing`;

/** Deletes the note, when the customer has no connection to the company any more. */
export const forgetCompany = (tx: EntityManager, customer_user_id: string, company_user_id: string) =>
  execute(tx)`delete from customer_company where customer_user_id = ${customer_user_id} and company_user_id = ${company_user_id}`;

/** Whether the customer may have a connection to the company. */
export const isNotedCompany = (db: Db, customer_user_id: string, company_user_id: string): Promise<boolean> =>
  hasRow(db)`select from customer_company where customer_user_id = ${customer_user_id} and company_user_id = ${company_user_id}`;

/** Returns the companies that the customer may have a connection to and that do not live in this region. */
export function listCompaniesElsewhere(db: Db, customer_user_id: string): Promise<string[]> {
  return column<string>(db)`
    select c.company_user_id
      from customer_company c left join profile p on p.user_id = c.company_user_id
     where c.customer_user_id = ${customer_user_id} and (p.home is null or p.home = 'arriving')`;
}

/** Seeks a connection, or what belongs to one, in the regions of the companies of its customer. */
export const CONNECTION_SEARCH: Search = { companies: listCompaniesElsewhere, notFound: ['company_data.connection_not_found'] };
