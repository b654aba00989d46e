import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Cleanup } from './cleanup.ts';

/** A step that a row shows. The soak itself adds a trigger to the table, which notifies with the values of some columns. */
export interface RowStep {
  table: string;
  on: 'insert' | 'update';
  when?: string;
  columns: readonly string[];
}

const CHANNEL = 'soak_steps';
const RECONNECT_MS = 200;

/** Calls `seen` for each step in the rows of a database, also after the server was away. The address is that of the database's owner. */
export async function watchRows<Step extends string>(
  connectionString: string,
  steps: Partial<Record<Step, RowStep>>,
  seen: (step: Step, values: readonly (string | null)[]) => void,
  cleanup: Cleanup,
): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(triggersOf(steps as Record<string, RowStep>));
  await client.end();
  const hear = ([step, ...values]: [Step, ...(string | null)[]]) => seen(step, values);
  let listening = await listen(connectionString, hear);
  const over = new AbortController();
  const again = async () => {
    while (!over.signal.aborted) {
      await listening.lost;
      await pause(RECONNECT_MS);
      if (!over.signal.aborted) listening = await listen(connectionString, hear).catch(() => listening);
    }
  };
  const running = again();
  cleanup.push(async () => {
    over.abort();
    await listening.client.end().catch(() => undefined);
    await running;
  });
}

async function listen<Note>(connectionString: string, hear: (note: Note) => void): Promise<{ client: pg.Client; lost: Promise<void> }> {
  const client = new pg.Client({ connectionString });
  const lost = new Promise<void>((resolve) => {
    client.on('error', () => resolve());
    client.on('end', resolve);
  });
  client.on('notification', ({ payload }) => hear(JSON.parse(payload!) as Note));
  await client.connect();
  await client.query(`listen ${CHANNEL}`);
  return { client, lost };
}

/** Returns the SQL of the triggers. They notify at the commit, so a fault that follows one strikes after the commit. */
function triggersOf(steps: Readonly<Record<string, RowStep>>): string {
  const triggers = Object.entries(steps).map(
    ([step, { table, on, when, columns }], nth) => `
    create trigger soak_step_${nth} after ${on} on ${table} for each row ${when ? `when (${when})` : ''}
    execute function soak_step(${[step, ...columns].map((text) => `'${text}'`).join(', ')});`,
  );
  return `
    create function soak_step() returns trigger language plpgsql as $$
    declare said jsonb := jsonb_build_array(tg_argv[0]);
    begin
      for nth in 1 .. tg_nargs - 1 loop
        said := said || jsonb_build_array(to_jsonb(new) ->> tg_argv[nth]);
      end loop;
      perform pg_notify('${CHANNEL}', said::text);
      return null;
    end $$;
    ${triggers.join('\n')}`;
}
