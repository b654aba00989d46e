import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { packPackages } from './pack-packages.ts';

const HELP = `npm run pack [-- options]   tarballs of the packages that companies install: @codase/client, @codase/contracts, @codase/crypto

  --to DIR   where to; .cache/packages when absent

Each holds JavaScript, type declarations, its README and the license. Install them together:
  npm install ./codase-contracts-0.1.0.tgz ./codase-crypto-0.1.0.tgz ./codase-client-0.1.0.tgz`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { to: { type: 'string' } });
  const tarballs = await packPackages(ROOT, join(ROOT, '.cache/pack'), values.to ?? join(ROOT, '.cache/packages'));
  for (const tarball of tarballs) console.log(tarball);
  return 0;
});
