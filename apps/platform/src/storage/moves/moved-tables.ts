import { Refusal, type CopyCursor } from '@codase/contracts';
import type { MovingRows } from '../../kit/capability.ts';

/** A table of a region whose rows belong to companies, and move with them. */
export interface MovedTable extends MovingRows {
  table: string;
}

/** The tables that move, as the capabilities declare them. A table that others refer to comes before them. @gap D1-5.6 */
export class MovedTables {
  constructor(readonly all: readonly MovedTable[]) {}

  /** Returns a table by its name. Refuses a name that no moving table has. */
  find(name: string): MovedTable {
    const found = this.all.find(({ table }) => table === name);
    if (!found) throw new Refusal('request.invalid').because(`${name} is no table that moves: do both regions run the same version?`);
    return found;
  }

  /** Where a copy begins. */
  get first(): CopyCursor {
    return { table: this.all[0]!.table, after: null };
  }

  /** Where a copy goes on when a table is copied; undefined after the last table. */
  next({ table }: CopyCursor): CopyCursor | undefined {
    const next = this.all[this.all.indexOf(this.find(table)) + 1];
    return next && { table: next.table, after: null };
  }
}
