import { Inject, Injectable } from '@nestjs/common';
import { AUDIT_PAGE, BUS_MESSAGE_BYTES, type AuditEntry, type AuditPage, type AuditQuery, Refusal } from '@codase/contracts';
import type { DataSource } from 'typeorm';
import { AUDIT_DB, Audit } from './audit.service.ts';
import { presentEntry } from './present-entry.ts';
import { currentEpoch, entriesAfter, hasWaiting, lastPosition } from './audit.store.ts';
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
    const position = await this.positionOf(after);
    if (after === undefined && until === undefined)
      await this.db.transaction((tx) => this.audit.record(tx, { act: 'audit.exported', account_id }));
    const newest = until === undefined ? await lastPosition(this.db) : readCursor(until);
    const rows = await entriesAfter(this.db, position, { from, to, account_id, limit: AUDIT_PAGE });
    const items = leading(rows.map(presentEntry));
    const last = rows[items.length - 1];
    const more = items.length < rows.length || rows.length === AUDIT_PAGE;
    const waits = !more && (await hasWaiting(this.db, last ?? position, newest));
    return { items, cursor: last ? writeCursor(last) : (after ?? null), more, waits, newest: writeCursor(newest) };
  }

  /** Reads a cursor. One of an epoch that has not begun would find no row for good, so it is refused. */
  private async positionOf(cursor: string | undefined) {
    const position = readCursor(cursor);
    if (position.epoch > (await currentEpoch(this.db)))
      throw new Refusal('request.invalid').because(
        'after: lies behind the end of this audit; export without a cursor, or with an older one',
      );
    return position;
  }
}

/** A quarter of what a message holds, because a character may take several bytes. */
const MAX_CHARS = BUS_MESSAGE_BYTES / 4;

/** Returns the first entries that fit into one answer, at least one. */
function leading(entries: readonly AuditEntry[]): AuditEntry[] {
  let chars = 0;
  const end = entries.findIndex((entry, nth) => (chars += JSON.stringify(entry).length) > MAX_CHARS && nth > 0);
  return entries.slice(0, end === -1 ? entries.length : end);
}
