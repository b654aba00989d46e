import { readArguments, table } from '@codase/command-line';
import { schemaOf } from '@codase/stack';
import { FLAG, type Read } from '../command.ts';
import { migrationsOf, withDatabaseOf } from './database-contents.ts';
import { chosen, type OwnedDatabase } from './installed-databases.ts';

interface SchemaState {
  database: string;
  /** Migrations of this release that have not run in the database. */
  missing: string[];
  /** Migrations that have run in the database and that this release does not know: those of a later release. */
  later: string[];
}

/**
 * Brings databases to the schema of this release while the previous release runs on them, or only shows what would be done. A release only
 * adds to the schema, and removes one release later, so the previous release also works on it: a rollback leaves databases as they are.
 */
export const upgrade: Read = (words) => {
  const { values, positionals } = readArguments(words, { check: FLAG });
  return async ({ target, print, note }) => {
    const states: SchemaState[] = [];
    for (const database of chosen(target.databases(), positionals)) {
      const before = await schemaStateOf(database);
      if (values.check || before.missing.length === 0) {
        states.push(before);
        continue;
      }
      note(`${database.name} …`);
      const ran = await (await schemaOf(database.kind)).migrate(database.owner, database.deliveryRole);
      note(`${database.name}: ${ran.join(', ')}`);
      states.push(await schemaStateOf(database));
    }
    print(inWords(states), { databases: states });
    return states.some(({ missing }) => missing.length > 0) ? 1 : 0;
  };
};

async function schemaStateOf({ name, kind, owner }: OwnedDatabase): Promise<SchemaState> {
  const { migrations } = await schemaOf(kind);
  const known = migrations.map((migration) => migration.name);
  const ran = await withDatabaseOf(owner, migrationsOf);
  return {
    database: name,
    missing: known.filter((one) => !ran.includes(one)),
    later: ran.filter((one) => !known.includes(one)),
  };
}

const inWords = (states: readonly SchemaState[]): string =>
  table([['database', 'schema'], ...states.map((state) => [state.database, stateInWords(state)])]);

function stateInWords({ missing, later }: SchemaState): string {
  if (missing.length > 0) return `older than this release: upgrade runs ${missing.join(', ')}`;
  if (later.length > 0) return `of a later release, which only added ${later.join(', ')}: this one works on it`;
  return 'that of this release';
}
