import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_PAGE, type AuditPage, type AuditQuery } from '@cds/contracts';
import type { DataSource } from 'typeorm';
import { AUDIT_DB, Audit } from './audit.service.ts';
import { entriesAfter } from './audit.store.ts';
import { readCursor, writeCursor } from './cursor.ts';

/** Hands the audit out, page by page. */
@Injectable()
export class AuditExport {
  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    private readonly audit: Audit,
  ) {}

  /** That somebody began to read is an act too; who goes on from a cursor began before. */
  async page({ after, from, to, account_id }: AuditQuery): Promise<AuditPage> {
    const position = readCursor(after);
    if (after === undefined) await this.db.transaction((tx) => this.audit.record(tx, { act: 'audit.exported', account_id }));
    const rows = await entriesAfter(this.db, position, { from, to, account_id, limit: AUDIT_PAGE });
    const items = rows.map(({ epoch: _, txid: _txid, seq: _seq, at, details, ...row }) => ({
      ...row,
      at: at.toISOString(),
      details: { ...details },
    }));
    const last = rows.at(-1);
    return { items, cursor: last ? writeCursor(last) : (after ?? null) };
  }
}
