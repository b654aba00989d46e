import type Pg from 'pg';
import { pg } from './pg.ts';

type Done = (error: Error | null, result: Pg.QueryResult) => void;

/** The parts of the driver that this uses. Its types leave out the inside of a query. */
interface Connection {
  describe(): void;
}
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
  prepare(connection: Connection): void;
  handleRowDescription(message: object): void;
};

/** The description of each statement's rows, by connection. */
const DESCRIBED = new WeakMap<Connection, Map<string, Described>>();
/** Each connection with a `describe` that does nothing, for statements that are already described. */
const SILENT = new WeakMap<Connection, Connection>();

/**
 * A statement that each connection prepares once. Its rows are described once too: the description cannot change as long as the connection
 * lives, and sending it with every answer costs both sides as much as one row.
 */
export class NamedQuery extends Query {
  private connection: Connection | undefined;

  constructor(name: string, text: string, values: unknown[], done: Done) {
    super(text, values, done);
    this.name = name;
  }

  override prepare(connection: Connection): void {
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

function silentOf(connection: Connection): Connection {
  const known = SILENT.get(connection) ?? (Object.create(connection, { describe: { value: () => undefined } }) as Connection);
  SILENT.set(connection, known);
  return known;
}
