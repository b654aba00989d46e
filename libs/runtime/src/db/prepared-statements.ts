/** How many statements a connection knows at most. The server keeps 20 to 100 kB for each that is prepared, in each connection. */
const MAX_KNOWN = 100;

/** All columns of a table, whichever these are. */
const ALL_COLUMNS = /(?:\bselect\s+|\breturning\s+|,\s*|\.)\*/i;

/** A statement that its connection has run. */
interface Known {
  /** When absent, the statement is not prepared yet. */
  name?: string;
  hasAllColumns: boolean;
}

/**
 * Chooses which statements of a connection are prepared: those that it runs for the second time, because most cost more to parse and to
 * plan than to run. It forgets first what was not run for the longest time.
 *
 * A prepared statement that returns all columns of a table fails once after a migration has added one. It can run again, but not in a
 * transaction, which has failed with it: so it is prepared outside of transactions alone.
 */
export class PreparedStatements {
  /** By text; the one that ran last is at the end. */
  private readonly known = new Map<string, Known>();
  private names = 0;

  /** `close` lets the server forget a statement. */
  constructor(private readonly close: (name: string) => void) {}

  /** Returns the name under which to run a statement; undefined when it is not to be prepared. */
  nameOf(text: string, inTransaction: boolean): string | undefined {
    const known = this.known.get(text);
    if (!known) return this.add(text);
    if (inTransaction && known.hasAllColumns) return undefined;
    this.known.delete(text);
    this.known.set(text, known);
    return (known.name ??= `auto_${(this.names += 1)}`);
  }

  private add(text: string): undefined {
    this.known.set(text, { hasAllColumns: ALL_COLUMNS.test(text) });
    if (this.known.size > MAX_KNOWN) this.forgetOldest();
  }

  private forgetOldest(): void {
    const [text, { name }] = this.known.entries().next().value!;
    this.known.delete(text);
    if (name !== undefined) this.close(name);
  }
}
