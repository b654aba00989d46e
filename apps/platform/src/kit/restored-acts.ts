import { AUDIT_DONE, type AuditAct, type AuditEntry } from '@codase/contracts';

/** The acts of an exported audit that were done, in the order in which they were. */
export class RestoredActs {
  readonly done: readonly AuditEntry[];

  constructor(exported: readonly AuditEntry[]) {
    this.done = exported.filter(({ outcome }) => outcome === AUDIT_DONE);
  }

  /** Repeats an act for each object. `repeat` gets the time when it was done first, and returns whether it changed anything. */
  async each(act: AuditAct, repeat: (id: string, at: string) => Promise<boolean>): Promise<string[]> {
    const repeated: string[] = [];
    for (const [id, at] of this.objects(act)) if (await repeat(id, at)) repeated.push(id);
    return repeated;
  }

  /** Returns the objects to which an act was done, each with the time of the first one. */
  objects(wanted: AuditAct): Map<string, string> {
    const found = new Map<string, string>();
    for (const { act, object, at } of this.done) if (act === wanted && object !== null && !found.has(object)) found.set(object, at);
    return found;
  }

  /** Returns the acts after the end of a database's own audit, without those of some kinds, as lines of text for people. */
  after(end: Date | undefined, leftOut: ReadonlySet<string>): string[] {
    const lost = this.done.filter(({ at, act }) => at > (end?.toISOString() ?? '') && !leftOut.has(act));
    return lost.map(({ at, act, account_id, object }) => [...new Set([at, act, account_id, object])].filter(Boolean).join(' '));
  }
}

/** Yields rows in the order of their keys, and reads a batch of 500 at a time. */
export async function* inBatches<Row>(
  after: (last: string, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
): AsyncGenerator<Row> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows: Row[] = await after(last, BATCH);
    yield* rows;
    last = rows.length < BATCH ? undefined : keyOf(rows.at(-1)!);
  }
}

const BATCH = 500;
