import { column, execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import type { SlotChangeEntity } from './customer-write.entity.ts';

/** A change of slots that the region of a company has still to make. */
export type SlotChange = Omit<SlotChangeEntity, 'request' | 'statement' | 'next_at'>;

export type NewSlotChange = Omit<SlotChange, 'change_id' | 'attempts'> & { request: object; statement: string | null };

/** Adds changes to the outbox, in the transaction that makes them in the home region. */
export const addSlotChanges = (tx: EntityManager, changes: readonly NewSlotChange[]) =>
  execute(tx)`
    insert into slot_change (change_id, customer_user_id, company_user_id, region, operation, request, statement, at, next_at)
    select * from jsonb_to_recordset(${JSON.stringify(changes.map(rowOf))}::jsonb)
           c (change_id text, customer_user_id text, company_user_id text, region text, operation text, request text, statement text,
              at timestamptz, next_at timestamptz)`;

/** How long the worker leaves a new change alone: the process that made it delivers it at once. */
const OWN_ATTEMPT_MS = 2000;

const rowOf = ({ request, ...change }: NewSlotChange) => ({
  ...change,
  change_id: newId('chg'),
  request: JSON.stringify(request),
  next_at: new Date(change.at.getTime() + OWN_ATTEMPT_MS),
});

/** Returns the changes that other regions have still to make, in their order, without the requests, which may be long. */
export const listSlotChanges = (db: Db, customer_user_id: string): Promise<SlotChange[]> =>
  many<SlotChange>(db)`
    select change_id, customer_user_id, company_user_id, region, operation, at, attempts
      from slot_change where customer_user_id = ${customer_user_id} order by at, change_id`;

/** Returns the request of a change, and what was signed over it; undefined when another process has delivered it meanwhile. */
export const findRequest = async (db: Db, change_id: string): Promise<{ request: object; statement: string | undefined } | undefined> => {
  const found = await one<Pick<SlotChangeEntity, 'request' | 'statement'>>(db)`
    select request, statement from slot_change where change_id = ${change_id}`;
  return found && { request: JSON.parse(found.request) as object, statement: found.statement ?? undefined };
};

/** Whether a change is pending for a company that this region has rows of by now. */
export const hasSlotChangesHere = async (db: Db, customer_user_id: string): Promise<boolean> =>
  (await one(db)`
    select from slot_change c join profile p on p.user_id = c.company_user_id where c.customer_user_id = ${customer_user_id} limit 1`) !==
  undefined;

/** Returns customers at home with attempts that are due, those with the oldest first. */
export function listCustomersDue(db: Db, now: Date, most: number): Promise<string[]> {
  return column<string>(db)`
    select c.customer_user_id
      from slot_change c join profile p on p.user_id = c.customer_user_id and p.home = 'here'
     where c.next_at <= ${now}
     group by c.customer_user_id
     order by min(c.next_at)
     limit ${most}`;
}

export const removeSlotChange = (tx: EntityManager, change_id: string) =>
  execute(tx)`delete from slot_change where change_id = ${change_id}`;

export const postponeSlotChange = (tx: EntityManager, { change_id, attempts }: Pick<SlotChange, 'change_id' | 'attempts'>, next_at: Date) =>
  execute(tx)`update slot_change set attempts = ${attempts}, next_at = ${next_at} where change_id = ${change_id}`;
