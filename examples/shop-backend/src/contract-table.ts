import type { CompanyDocument } from '@codase/contracts';
import type { PoolClient } from 'pg';

/** A contract that the shop has sent, with the digest of its bytes. The sealed document that comes back must contain these bytes. */
interface Contract {
  document_id: string;
  person_id: string;
  plain_sha256: string;
  status: CompanyDocument['status'];
}

/** Stores a contract, unless it is stored already. */
export async function noteContract(tx: PoolClient, { document_id, person_id, plain_sha256, status }: Contract): Promise<void> {
  const insert = 'insert into contract (document_id, person_id, plain_sha256, status) values ($1, $2, $3, $4) on conflict do nothing';
  await tx.query(insert, [document_id, person_id, plain_sha256, status]);
}

export async function findContract(tx: PoolClient, document_id: string): Promise<(Contract & { has_signed_pdf: boolean }) | undefined> {
  const { rows } = await tx.query<Contract & { has_signed_pdf: boolean }>(
    'select document_id, person_id, plain_sha256, status, signed_pdf is not null as has_signed_pdf from contract where document_id = $1',
    [document_id],
  );
  return rows[0];
}

export async function saveContract(tx: PoolClient, document_id: string, status: Contract['status']): Promise<void> {
  await tx.query('update contract set status = $2 where document_id = $1', [document_id, status]);
}

export async function saveSignedPdf(tx: PoolClient, document_id: string, pdf: Uint8Array): Promise<void> {
  await tx.query('update contract set signed_pdf = $2 where document_id = $1', [document_id, Buffer.from(pdf)]);
}
