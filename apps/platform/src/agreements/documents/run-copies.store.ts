import { many, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import type { RunDocument, SignatureRow } from './document-row.ts';

type Own = 'run_id' | 'document_id' | 'output_key' | 'party_key' | 'name' | 'status' | 'requires_signature' | 'requires_acceptance';

/** A participant's copy of a document of a run, with what its party did. @spec D2-2.2 */
export type RunCopy = Pick<RunDocument, Own | 'person_user_id' | 'position' | 'sealed_at'> & {
  action: SignatureRow['action'] | null;
  acted_at: Date | null;
};

/** Lists all copies of some runs, in line order: first those that are signed or accepted. @spec D2-2.2 */
export const listCopies = (db: Db, run_ids: readonly string[]) => many<RunCopy>(db)`
  select d.run_id, d.document_id, d.output_key, d.party_key, d.name, d.status, d.requires_signature, d.requires_acceptance,
         d.person_user_id, d.position, d.sealed_at, s.action, s.created_at as acted_at
    from document d left join document_signature s on s.document_id = d.document_id
   where d.run_id = any(${run_ids}::text[])
   order by d.run_id, d.run_order`;

/** Reads all copies of a run, in line order. */
export const readCopies = (db: Db, run_id: string) =>
  many<RunDocument>(db)`select * from document where run_id = ${run_id} order by run_order`;

/** Locks all copies of some runs, which are locked. */
export const lockCopies = (tx: EntityManager, run_ids: readonly string[]) =>
  many<RunDocument>(tx)`select * from document where run_id = any(${run_ids}::text[]) order by run_id, run_order for update`;
