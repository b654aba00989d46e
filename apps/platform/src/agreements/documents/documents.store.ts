import { createHash } from 'node:crypto';
import { Refusal } from '@codase/contracts';
import type { DocumentStatus } from '@codase/domain';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { ListPosition, Slice } from '../../kit/paging.ts';
import type { OwnService } from '../../services/services/index.ts';
import type { DocumentRow, SignatureRow } from './document-row.ts';

/** Adds a document, or returns the one with the same key, for which it waits while another transaction adds it. */
export async function addDocument(tx: EntityManager, row: DocumentRow, key: string | undefined): Promise<DocumentRow | undefined> {
  const repeat_hash = key === undefined ? null : repeatHash(row, key);
  const added = await one(tx)`
    insert into document (document_id, company_user_id, service_id, connection_id, person_user_id, share_code, customer_type, name, kind,
                          payload_kind, requires_signature, requires_acceptance, is_private, status, metadata, content_type,
                          content_sha256, plain_sha256, created_at, repeat_hash, run_id, output_key, party_key, position, run_order)
    values (${row.document_id}, ${row.company_user_id}, ${row.service_id}, ${row.connection_id}, ${row.person_user_id}, ${row.share_code},
            ${row.customer_type}, ${row.name}, ${row.kind}, ${row.payload_kind}, ${row.requires_signature}, ${row.requires_acceptance},
            ${row.is_private}, ${row.status}, ${JSON.stringify(row.metadata)}, ${row.content_type}, ${row.content_sha256},
            ${row.plain_sha256}, ${row.created_at}, ${repeat_hash}, ${row.run_id}, ${row.output_key}, ${row.party_key}, ${row.position},
            ${row.run_order})
    on conflict (service_id, repeat_hash) do nothing
    returning 1`;
  if (added) return undefined;
  const known = await one<DocumentRow>(tx)`select * from document where service_id = ${row.service_id} and repeat_hash = ${repeat_hash}`;
  if (!known) throw new Refusal('service.unavailable').because('The document of this key was deleted just now: repeat the call');
  return known;
}

/** Returns the hash of a key of the sender. The key identifies one document for each recipient. */
const repeatHash = ({ connection_id }: DocumentRow, key: string): Buffer =>
  createHash('sha256')
    .update(`${connection_id ?? 'everybody'} ${key}`)
    .digest();

/** Finds a document of the service. A document of another service is not found, like one that does not exist. @spec D1-1 */
export const findOfService = (db: Db, { company_user_id, service_id }: OwnService, document_id: string) => one<DocumentRow>(db)`
  select * from document
   where document_id = ${document_id} and service_id = ${service_id} and company_user_id = ${company_user_id}`;

/** Locks a document before its state changes, so that simultaneous acts come one after the other. */
export const lockDocument = (tx: EntityManager, document_id: string) =>
  one<DocumentRow>(tx)`select * from document where document_id = ${document_id} for update`;

/** The filters of a list. */
export interface Narrowed {
  connection_id: string | undefined;
  status: string | undefined;
}

/** Returns documents of a service, the newest first: one more than `limit`, to show whether there is a next page. */
export const listOfService = (db: Db, own: OwnService, { connection_id, status }: Narrowed, slice: Slice) => many<DocumentRow>(db)`
  select * from document
   where service_id = ${own.service_id} and company_user_id = ${own.company_user_id}
     and (${connection_id ?? null}::text is null or connection_id = ${connection_id ?? null})
     and (${status ?? null}::text is null or status = ${status ?? null})
     and (${slice.after?.id ?? null}::text is null
          or (created_at, document_id) < (${slice.after?.at ?? null}::timestamptz, ${slice.after?.id ?? null}))
   order by created_at desc, document_id desc
   limit ${slice.limit + 1}`;

const idsOf = (documents: readonly Pick<DocumentRow, 'document_id'>[]) => documents.map(({ document_id }) => document_id);

/** Returns the signatures of some documents, the oldest first. */
export const listSignatures = (db: Db, documents: readonly Pick<DocumentRow, 'document_id'>[]) => many<SignatureRow>(db)`
  select * from document_signature where document_id = any(${idsOf(documents)}::text[]) order by created_at, signature_id`;

type Changeable = 'name' | 'status' | 'metadata' | 'cancel_effective_date' | 'content_sha256' | 'sealed_at';
export type DocumentChanges = Partial<Pick<DocumentRow, Changeable>>;

/** Writes the changes. The row is locked. */
export async function changeDocument<Row extends DocumentRow>(tx: EntityManager, document: Row, changes: DocumentChanges): Promise<Row> {
  const changed = { ...document, ...changes };
  await execute(tx)`
    update document
       set name = ${changed.name}, status = ${changed.status}, metadata = ${JSON.stringify(changed.metadata)},
           cancel_effective_date = ${changed.cancel_effective_date}, content_sha256 = ${changed.content_sha256},
           sealed_at = ${changed.sealed_at}
     where document_id = ${document.document_id}`;
  return changed;
}

/** Writes the digests and the type of a new payload. The row is locked. */
export const changePayload = (
  tx: EntityManager,
  {
    document_id,
    content_type,
    content_sha256,
    plain_sha256,
  }: Pick<DocumentRow, 'document_id' | 'content_type' | 'content_sha256' | 'plain_sha256'>,
) => execute(tx)`
  update document set content_type = ${content_type}, content_sha256 = ${content_sha256}, plain_sha256 = ${plain_sha256}
   where document_id = ${document_id}`;

export const removeDocument = (tx: EntityManager, document_id: string) =>
  execute(tx)`delete from document where document_id = ${document_id}`;

/** Deletes some documents of a service, and returns them. Documents of runs stay. @spec D2-8 */
export const removeOfService = (tx: EntityManager, { service_id }: OwnService, most: number) => many<DocumentRow>(tx)`
  delete from document
   where document_id in (select document_id from document where service_id = ${service_id} and run_id is null
                          order by created_at, document_id limit ${most})
  returning *`;

/** Ends some copies of a service's runs that are active, and returns them. Those that are open or wait end with their runs. */
export const endSomeOfRuns = (tx: EntityManager, { service_id }: OwnService, most: number) => many<DocumentRow>(tx)`
  update document set status = 'ended'
   where document_id in (select document_id from document
                          where service_id = ${service_id} and run_id is not null and status in ('active', 'active_but_ending')
                          order by document_id limit ${most} for update)
  returning *`;

/** Whether a document of the company is for this customer alone. */
export const hasOfCompany = async (db: Db, person_user_id: string, company_user_id: string): Promise<boolean> =>
  (await one(db)`
    select from document where person_user_id = ${person_user_id} and company_user_id = ${company_user_id} limit 1`) !== undefined;

/** Locks the documents of a connection that have not ended, in the order of their ids. The open copies of a run end with their run. */
export const lockOfConnection = (tx: EntityManager, connection_id: string) => many<DocumentRow>(tx)`
  select * from document
   where connection_id = ${connection_id} and status <> 'ended'
     and (run_id is null or status not in ('waiting', 'ready_to_sign', 'offering'))
   order by document_id for update`;

/** Whether an agreement or subscription is in force; one of a run is once it is sealed, as all signed. @spec D1-4.2 @gap D2-3 */
export const hasActiveContract = async (
  tx: EntityManager,
  { company_user_id, service_id }: OwnService,
  connection_id?: string,
): Promise<boolean> =>
  (await one(tx)`
    select from document
     where service_id = ${service_id} and company_user_id = ${company_user_id}
       and kind in ('agreement', 'subscription') and status in ('active', 'active_but_ending')
       and (run_id is null or (sealed_at is not null and connection_id is not null))
       and (${connection_id ?? null}::text is null or connection_id = ${connection_id ?? null})
     limit 1`) !== undefined;

/** Whether the last day of any document has come. The worker asks this in every round, and mostly there is none. */
export const hasOverdue = async (db: Db, today: string): Promise<boolean> =>
  (await one(db)`select from document where status = 'active_but_ending' and cancel_effective_date <= ${today} limit 1`) !== undefined;

/** Locks documents whose last day has come. It waits for no lock, and leaves out documents of a company that has begun to move. */
export const lockOverdue = (tx: EntityManager, today: string, limit: number) => many<DocumentRow>(tx)`
  select * from document
   where status = 'active_but_ending' and cancel_effective_date <= ${today} and exists (select from hold_homes(array[company_user_id]))
   order by cancel_effective_date limit ${limit} for update skip locked`;

/** Writes the status of documents that are locked. */
export const writeStatus = (tx: EntityManager, documents: readonly Pick<DocumentRow, 'document_id'>[], status: DocumentStatus) =>
  execute(tx)`update document set status = ${status} where document_id = any(${idsOf(documents)}::text[])`;

/**
 * Finds a document that a customer holds: its own, or one for all customers of a service that it is connected to. Documents of a company
 * that is moving here are left out: the region that it leaves answers for them.
 */
export const findOfHolder = (db: Db, user_id: string, document_id: string) => one<DocumentRow>(db)`
  select d.* from document d join profile p on p.user_id = d.company_user_id and p.home <> 'arriving'
   where d.document_id = ${document_id}
     and ((d.person_user_id = ${user_id} and d.connection_id is not null)
          or (d.person_user_id is null
              and exists (select from connection c
                           where c.company_user_id = d.company_user_id and c.service_id = d.service_id
                             and c.customer_user_id = ${user_id})))`;

/** Returns the list positions of the documents that a customer holds, the newest first. */
export const listPositions = (db: Db, user_id: string, { connection_id, status }: Narrowed, { limit, after }: Slice) =>
  many<ListPosition>(db)`
  select d.created_at as at, d.document_id as id
    from document d join profile p on p.user_id = d.company_user_id and p.home <> 'arriving'
   where ((d.person_user_id = ${user_id} and d.connection_id is not null)
          or (d.person_user_id is null
              and (d.company_user_id, d.service_id) in (
                select company_user_id, service_id from connection where customer_user_id = ${user_id})))
     and (${connection_id ?? null}::text is null or d.connection_id = ${connection_id ?? null})
     and (${status ?? null}::text is null or d.status = ${status ?? null})
     and (${after?.id ?? null}::text is null
          or (d.created_at, d.document_id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}))
   order by d.created_at desc, d.document_id desc
   limit ${limit}`;

/** Adds a signature. A user has one signature per document: a second one violates a unique constraint. */
export const addSignature = (
  tx: EntityManager,
  { company_user_id }: DocumentRow,
  row: SignatureRow & { signature_id: string; user_id: string },
) => execute(tx)`
  insert into document_signature (signature_id, company_user_id, document_id, user_id, action, method, content_sha256, plain_sha256,
                                  signer_first_name, signer_last_name, signer_name_verified, created_at)
  values (${row.signature_id}, ${company_user_id}, ${row.document_id}, ${row.user_id}, ${row.action}, ${row.method},
          ${row.content_sha256}, ${row.plain_sha256}, ${row.signer_first_name}, ${row.signer_last_name}, ${row.signer_name_verified},
          ${row.created_at})`;
