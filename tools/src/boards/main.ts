import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { BOARDS_FOLDER, boardFiles } from './boards.ts';

const HELP = `npm run boards [-- options]   the dashboards of Grafana, made from code

  --write   write them to ${BOARDS_FOLDER}

Without it, exit code 1 when a file there is not what the code says.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  const folder = join(ROOT, BOARDS_FOLDER);
  const files = Object.entries(boardFiles());
  if (values.write) {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
  }
  const stale = files.filter(([name, text]) => readFileSync(join(folder, name), 'utf8') !== text).map(([name]) => name);
  console.log(stale.length ? `${stale.join(', ')}: not current: npm run boards -- --write` : `${BOARDS_FOLDER} is current`);
  return stale.length ? 1 : 0;
});
