import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_PAGE, type AuditEntry, type AuditPage, type AuditQuery } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { AUDIT_DB, Audit } from './audit.service.ts';
import { entriesAfter, hasWaiting, lastPosition, type StoredEntry } from './audit.store.ts';
import { readCursor, writeCursor } from './cursor.ts';

/** Hands the audit out, page by page. */
@Injectable()
export class AuditExport {
  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    private readonly audit: Audit,
  ) {}

  /**
   * Returns a page of the audit. Reading the audit is an act too, which is recorded with the first page and not with those that go on.
   */
  async page({ after, until, from, to, account_id }: AuditQuery): Promise<AuditPage> {
    const position = readCursor(after);
    if (after === undefined && until === undefined)
      await this.db.transaction((tx) => this.audit.record(tx, { act: 'audit.exported', account_id }));
    const newest = until === undefined ? await lastPosition(this.db) : readCursor(until);
    const rows = await entriesAfter(this.db, position, { from, to, account_id, limit: AUDIT_PAGE });
    const last = rows.at(-1);
    const waits = rows.length < AUDIT_PAGE && (await hasWaiting(this.db, last ?? position, newest));
    return { items: rows.map(presentEntry), cursor: last ? writeCursor(last) : (after ?? null), waits, newest: writeCursor(newest) };
  }
}

const presentEntry = ({ at, act, outcome, initiator, client_id, address, account_id, object, details }: StoredEntry): AuditEntry => ({
  at: at.toISOString(),
  act,
  outcome,
  initiator,
  client_id,
  address,
  account_id,
  object,
  details: { ...details },
});
