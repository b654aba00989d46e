import type Pg from 'pg';
import { pg } from './pg.ts';

export type Done = (error: Error | null, result: Pg.QueryResult) => void;

/** What the driver keeps of a description. Its types leave out the inside of a query, and it has no option to keep it for longer. */
interface Described {
  fields: unknown;
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
}
const Query = pg.Query as unknown as new (
  text: string,
  values: unknown[],
  done: Done,
) => Pg.Submittable & {
  name: string;
  _result: Described;
  _accumulateRows: boolean;
  prepare(connection: Pg.Connection): void;
  handleRowDescription(message: object): void;
};

/** The description of each statement's rows, by connection. */
const DESCRIBED = new WeakMap<Pg.Connection, Map<string, Described>>();
/** Each connection with a `describe` that does nothing, for statements that are already described. */
const SILENT = new WeakMap<Pg.Connection, Pg.Connection>();

/**
 * A statement that each connection prepares once. Its rows are described once too: the description cannot change as long as the connection
 * lives, and sending it with every answer costs both sides as much as one row.
 */
export class NamedQuery extends Query {
  private connection: Pg.Connection | undefined;

  constructor(name: string, text: string, values: unknown[], done: Done) {
    super(text, values, done);
    this.name = name;
  }

  override prepare(connection: Pg.Connection): void {
    this.connection = connection;
    const described = DESCRIBED.get(connection)?.get(this.name);
    if (!described) return super.prepare(connection);
    Object.assign(this._result, described);
    this._accumulateRows = true;
    super.prepare(silentOf(connection));
  }

  override handleRowDescription(message: object): void {
    super.handleRowDescription(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = this._result;
    const all = DESCRIBED.get(this.connection!) ?? new Map<string, Described>();
    DESCRIBED.set(this.connection!, all.set(this.name, { fields, _parsers, _prebuiltEmptyResultObject }));
  }
}

/** The texts of the statements that a connection has prepared, by name. */
interface Parsed {
  parsedStatements: Record<string, string>;
}

/** Lets a connection forget a statement. It does so in a transaction that failed too, where DEALLOCATE would fail. */
export class CloseStatement extends Query {
  constructor(name: string) {
    super('', [], () => undefined);
    this.name = name;
  }

  override submit = (connection: Pg.Connection): void => {
    DESCRIBED.get(connection)?.delete(this.name);
    delete (connection as Pg.Connection & Parsed).parsedStatements[this.name];
    connection.close({ type: 'S', name: this.name }, false);
    connection.sync();
  };
}

function silentOf(connection: Pg.Connection): Pg.Connection {
  const known = SILENT.get(connection) ?? (Object.create(connection, { describe: { value: () => undefined } }) as Pg.Connection);
  SILENT.set(connection, known);
  return known;
}
