import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { platformEndpoints } from '../matrix/platform-endpoints.ts';
import { markdown, printIndex } from './print.ts';
import { specIndex } from './spec-index.ts';

const HELP = `npm run spec-index [-- options]   which files and tests cite each section of the specification

  --json    print the index as JSON
  --write   write it to docs/spec-index.md

Exit code 1 when a section or a route is neither built nor listed in docs/not-built.json, or both, or when a tag or
the list names something that the specification does not have. A section is built when a source and a test cite it
(✓; ~ when the list says what is missing), a route when the platform serves a contract for it.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { json: { type: 'boolean' }, write: { type: 'boolean' } });
  const index = specIndex(ROOT, await platformEndpoints());
  if (values.write) writeFileSync(join(ROOT, 'docs/spec-index.md'), markdown(index));
  console.log(values.json ? JSON.stringify(index, null, 2) : printIndex(index));
  for (const problem of index.problems) console.error(problem);
  return index.problems.length ? 1 : 0;
});
