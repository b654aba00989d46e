import { join, resolve } from 'node:path';
import { command, readArguments, UsageFault } from '@codase/command-line';
import { exitCodeOf } from '../command/results.ts';
import { ROOT } from '../command/root.ts';
import { packPackages } from '../pack/pack-packages.ts';
import { release } from './release.ts';
import { isVersion } from './changelog.ts';

const HELP = `npm run release -- VERSION [options]

Makes a release of what the default branch has now.

  --to DIR    where notes and packages go; release when absent
  --dry-run   say what would be done, and do nothing

VERSION is three numbers (0.11.0), above the last tag. The changes under
"Unreleased" in CHANGELOG.md become those of the version, and every package and
the chart get it, in one commit with the tag vVERSION. The notes are the message
of the tag, and a file beside the tarballs that npm run pack makes. Nothing is
pushed.

A release that was interrupted goes on when the command is run again.

Exit code 1 when there is something to correct first.`;

await command(HELP, async (args) => {
  const { values, positionals } = readArguments(args, { to: { type: 'string' }, 'dry-run': { type: 'boolean' } });
  const [version, ...more] = positionals;
  if (version === undefined || more.length > 0) throw new UsageFault('Which version? Give one, as in npm run release -- 0.11.0.');
  if (!isVersion(version)) throw new UsageFault(`'${version}' is no version of three numbers, as 0.11.0 is.`);
  return exitCodeOf(() =>
    release({
      root: ROOT,
      version,
      to: values.to === undefined ? join(ROOT, 'release') : resolve(values.to),
      today: new Date().toISOString().slice(0, 10),
      isDryRun: values['dry-run'] ?? false,
      pack: (to) => packPackages(ROOT, join(ROOT, '.cache/pack'), to),
      say: (line) => console.log(line),
    }),
  );
});
