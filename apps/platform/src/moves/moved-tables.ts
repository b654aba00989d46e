import { Refusal, type CopyCursor } from '@cds/contracts';

/** A table of a region whose rows belong to companies, and go with them. */
export interface MovedTable {
  table: string;
  /** The column that names the company. */
  owner: string;
  /** The column that tells the rows of one company apart. */
  key: string;
  /** Members that say on which side of the move a row is: their values on arrival; they are never compared. */
  onArrival?: Readonly<Record<string, unknown>>;
  /** A column of stored secrets, bound to the row's key: sealed anew for the new region, so never compared. */
  sealed?: string;
  /** A function of the database that is called with the company when its rows have come. */
  arrived?: string;
}

/** The tables that move, as the capabilities declare them: a table that others refer to comes before them. @gap D1-5.6 */
export class MovedTables {
  constructor(readonly all: readonly MovedTable[]) {}

  /** The table that a cursor of a copy is in. */
  find(name: string): MovedTable {
    const found = this.all.find(({ table }) => table === name);
    if (!found) throw new Refusal('request.invalid').because(`${name} is no table that moves: do both regions run the same version?`);
    return found;
  }

  /** Where a copy begins. */
  get first(): CopyCursor {
    return { table: this.all[0]!.table, after: null };
  }

  /** Where a copy goes on when a table is through. */
  next({ table }: CopyCursor): CopyCursor | undefined {
    const next = this.all[this.all.indexOf(this.find(table)) + 1];
    return next && { table: next.table, after: null };
  }
}
