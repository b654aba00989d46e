import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { installedPackages, licenceProblems, LICENCES_FILE, licencesText } from './licences.ts';

const HELP = `npm run licences [-- options]   the licences of the packages that are installed to run the service

  --write   write the list to ${LICENCES_FILE}

Exit code 1 when a package has a licence that is not allowed, or the list is not current.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  if (values.write) writeFileSync(join(ROOT, LICENCES_FILE), licencesText(installedPackages(ROOT)));
  const problems = licenceProblems(ROOT);
  console.log(problems.length === 0 ? `${LICENCES_FILE} is current, and every licence is allowed` : problems.join('\n'));
  return problems.length === 0 ? 0 : 1;
});
