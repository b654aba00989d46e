import type { QueryRunner } from 'typeorm';

/** A table with public keys, and its columns of owners and keys. */
interface KeyTable {
  kind: 'account' | 'service' | 'seal' | 'device';
  table: string;
  owner: string;
  key: string;
  /** What the column has: an SPKI in base64, an RFC 7638 thumbprint in base64url, or a SHA-256 in hexadecimal. */
  form: 'spki' | 'thumbprint' | 'sha256';
}

/**
 * Lists the keys of a table for the transparency log, those that are there and those to come. A worker logs them, some at a time. It runs
 * outside of a transaction, so that nobody waits for the table while its keys are listed, and it can be repeated.
 */
export async function listKeys(db: QueryRunner, { kind, table, owner, key, form }: KeyTable): Promise<void> {
  const call = `execute function audit.list_key('${kind}', '${owner}', '${key}', '${form}')`;
  const isLate = `when (old.${owner} is null or old.${key} is null)`;
  await db.query(`create or replace trigger list_key after insert or delete on ${table} for each row ${call}`);
  await db.query(`create or replace trigger list_late_key after update of ${owner}, ${key} on ${table} for each row ${isLate} ${call}`);
  await db.query(`
    insert into audit.logged_key (kind, owner, key_sha256)
    select '${kind}', ${owner}, audit.key_hash(${key}, '${form}') from ${table}
     where ${owner} is not null and audit.key_hash(${key}, '${form}') is not null
        on conflict do nothing`);
  // A row that was deleted meanwhile had no key in the list yet that its trigger could take out.
  await db.query(`
    delete from audit.logged_key k where k.kind = '${kind}' and not exists (select from ${table} t where t.${owner} = k.owner)`);
}
