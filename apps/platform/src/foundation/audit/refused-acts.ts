import type { AuditRow } from './entry.ts';

/** How many refused acts are written as rows. Those beyond it are only counted. */
interface RefusedActsLimits {
  windowMs: number;
  /** Rows of one address in a window. */
  each: number;
  /** Rows in a window, of all addresses together. */
  all: number;
}

/**
 * Collects refused acts until they are written. Strangers can cause any number of them, so a window holds a bounded number of rows. The
 * others are counted in one row for each act and outcome.
 */
export class RefusedActs {
  private rows: AuditRow[] = [];
  private counted = new Map<string, AuditRow>();
  private windowStart = 0;
  private taken = 0;
  private readonly byAddress = new Map<string | null, number>();

  constructor(private readonly limits: RefusedActsLimits) {}

  add(row: AuditRow): void {
    this.turn(row.at.getTime());
    const ofAddress = this.byAddress.get(row.address) ?? 0;
    if (this.taken >= this.limits.all || ofAddress >= this.limits.each) return this.count(row);
    this.taken += 1;
    this.byAddress.set(row.address, ofAddress + 1);
    this.rows.push(row);
  }

  /** Takes out what is to be written now: the rows, and also the counts when their window is over or at the end. */
  take(now: Date, isEnd = false): AuditRow[] {
    const isOver = isEnd || this.isOver(now.getTime());
    const counts = isOver ? [...this.counted.values()] : [];
    if (isOver) this.counted = new Map();
    const taken = [...this.rows, ...counts];
    this.rows = [];
    return taken;
  }

  /** Counts rows that could not be written, so that a database that does not answer costs no memory. */
  putBack(rows: readonly AuditRow[]): void {
    for (const row of rows) this.count(row);
  }

  private count(row: AuditRow): void {
    const more = row.details.count ?? 1;
    const key = `${row.act} ${row.outcome}`;
    const known = this.counted.get(key);
    if (known) known.details = { count: known.details.count! + more };
    else {
      const { at, act, outcome } = row;
      const nobody = { initiator: null, client_id: null, address: null, account_id: null, object: null };
      this.counted.set(key, { at, act, outcome, ...nobody, details: { count: more } });
    }
  }

  /** Whether the window is over. A clock that went back begins a new window too. */
  private isOver(now: number): boolean {
    return now >= this.windowStart + this.limits.windowMs || now < this.windowStart;
  }

  private turn(now: number): void {
    if (!this.isOver(now)) return;
    this.windowStart = now;
    this.taken = 0;
    this.byAddress.clear();
  }
}
