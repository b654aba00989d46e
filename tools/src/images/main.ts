import { join } from 'node:path';
import { command, readArguments, UsageFault } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { imageApps, readParts } from './bundle-parts.ts';
import { writeImageFolder } from './image-folder.ts';
import { imageProblems } from './image-problems.ts';

const HELP = `npm run images -- --to DIR [APP…]   the folder /app of each app's image: DIR/APP, with its bill of materials

deploy/images/Containerfile calls it. Exit code 1 when an image is beyond its budget or holds a package that it must not have.`;

await command(HELP, async (args) => {
  const { values, positionals } = readArguments(args, { to: { type: 'string' } });
  if (values.to === undefined) throw new UsageFault('Where to? Give --to DIR.');
  const parts = readParts(ROOT);
  for (const app of positionals.length ? positionals : imageApps(parts)) {
    const bytes = writeImageFolder(ROOT, app, join(values.to, app));
    console.log(`${app}: ${(bytes / 1e6).toFixed(1)} MB`);
  }
  const problems = imageProblems(ROOT, parts);
  for (const problem of problems) console.error(problem);
  return problems.length ? 1 : 0;
});
