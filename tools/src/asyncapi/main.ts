import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, readArguments } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { ASYNCAPI_FILE, asyncapiText } from './asyncapi-file.ts';

const HELP = `npm run asyncapi [-- options]   the AsyncAPI document of the suite's bus, generated from the contracts

  --write   write it to ${ASYNCAPI_FILE}

Without it, exit code 1 when that file is not what the contracts say. The gateway serves the same at /asyncapi.json of its health port.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  const [file, text] = [join(ROOT, ASYNCAPI_FILE), asyncapiText()];
  if (values.write) writeFileSync(file, text);
  const isCurrent = readFileSync(file, 'utf8') === text;
  console.log(isCurrent ? `${ASYNCAPI_FILE} is current` : `${ASYNCAPI_FILE} is not current: npm run asyncapi -- --write`);
  return isCurrent ? 0 : 1;
});
