import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { dashboardFiles, DASHBOARDS_FOLDER, staleDashboards } from './dashboards.ts';

const HELP = `npm run boards [-- options]   the dashboards of Grafana, made from code

  --write   write them to ${DASHBOARDS_FOLDER}

Without it, exit code 1 when a file there is not what the code says.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  if (values.write) {
    const folder = join(ROOT, DASHBOARDS_FOLDER);
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(dashboardFiles())) writeFileSync(join(folder, name), text);
  }
  const stale = staleDashboards(ROOT);
  console.log(stale.length ? `${stale.join(', ')}: not current: npm run boards -- --write` : `${DASHBOARDS_FOLDER} is current`);
  return stale.length ? 1 : 0;
});
