import { join } from 'node:path';
import { soak } from '@cds/e2e';
import { findNatsServer } from '@cds/testing/infra';
import { command, readArguments, readNumber } from '../command/command.ts';
import { ROOT } from '../command/root.ts';

const HELP = `npm run soak -- [--events N] [--kills N]

Faults under load: events flow through durable consumers while consumers, NATS and
Postgres are killed with SIGKILL and come back. Prints kills, events, lost,
duplicated and disordered, then one JSON line. Exit code 1 when anything was lost,
came twice or came late.

  --events N   how many events to publish (default 5000)
  --kills N    faults go on until there were this many (default 40)`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { events: { type: 'string' }, kills: { type: 'string' } });
  const events = Math.ceil(readNumber('--events', values.events) ?? 5000);
  const wanted = readNumber('--kills', values.kills) ?? 40;
  const nats = await findNatsServer({ cacheDir: join(ROOT, '.cache') });
  const result = await soak({ nats, events, kills: wanted, progress: (line) => console.error(line) });
  const { kills, lost, duplicated, disordered, parked } = result;
  console.log(`kills ${kills}, events ${result.events}, lost ${lost}, duplicated ${duplicated}, disordered ${disordered}, parked ${parked}`);
  console.log(JSON.stringify({ soak: 'durable-consumers', ...result, ok: lost + duplicated + disordered + parked === 0 }));
  return lost + duplicated + disordered + parked === 0 ? 0 : 1;
});
