import { command, readArguments } from '@codase/command-line';
import { checkGenerated } from '../command/results.ts';
import { ASYNCAPI_FILE, asyncapiText } from './asyncapi-file.ts';

const HELP = `npm run asyncapi [-- options]   the AsyncAPI document of the suite's bus, generated from the contracts

  --write   write it to ${ASYNCAPI_FILE}

Without it, exit code 1 when that file is not what the contracts say. The gateway serves the same at /asyncapi.json of its health port.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { write: { type: 'boolean' } });
  return checkGenerated('asyncapi', ASYNCAPI_FILE, asyncapiText(), values.write);
});
