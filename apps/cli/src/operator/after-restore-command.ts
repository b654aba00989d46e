import { Fault, table, UsageFault } from '@cds/command-line';
import { databaseConfig, readConfig } from '@cds/runtime/config';
import type { OperatorCommand } from './operator-command.ts';

/** Works on the database itself, since a front door does not start on one that is older than its mark. */
export const afterRestore: OperatorCommand = {
  usage: 'after-restore',
  what: "after a backup of the front door's database (DATABASE_URL) came back: revoke again what was revoked since, end all sessions",
  read: (words) => {
    if (words.length > 0) throw new UsageFault(`It is: ${afterRestore.usage}.`);
    if (!process.env['DATABASE_URL'] && !process.env['DATABASE_URL_FILE'])
      throw new Fault("DATABASE_URL is not set: name the front door's database, as the front door does.");
    const { DATABASE_URL: url, DATABASE_PASSWORD: password } = readConfig(databaseConfig, process.env);
    return async ({ bus }) => {
      const [platform, { openDatabase }] = await Promise.all([import('@cds/platform'), import('@cds/runtime/db')]);
      const frontDoor = await openDatabase({ url, password, name: 'after-restore', pool: 1 });
      try {
        const result = await platform.afterRestore({ frontDoor, bus }, new Date());
        return { result, said: describe(result) };
      } finally {
        await frontDoor.destroy();
      }
    };
  },
};

function describe({ was_older, sessions_ended, ...found }: Awaited<ReturnType<(typeof import('@cds/platform'))['afterRestore']>>): string {
  return [
    was_older ? 'The database is older than what the bus has seen of it.' : 'The bus knows of nothing that the database does not.',
    table([
      ['sessions ended', String(sessions_ended)],
      ['clients that need a new secret', found.clients_without_secret.join(' ') || 'none'],
      ['clients deleted again', found.clients_deleted.join(' ') || 'none'],
      ['clients to be registered again', found.clients_lost.join(' ') || 'none'],
      ['accounts with their later level', found.accounts_with_level.join(' ') || 'none'],
      ['accounts sent to their later region', found.accounts_moved.join(' ') || 'none'],
    ]),
    'Start the front door now: it publishes its tables.',
  ].join('\n');
}
