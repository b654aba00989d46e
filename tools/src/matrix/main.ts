import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNode } from '../command/child.ts';
import { command, readArguments, UsageFault } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { untilInterrupted } from '../command/run.ts';
import { readNotBuilt } from '../spec/not-built.ts';
import { JEST, IDLE_SECONDS } from '../test/jest.ts';
import { readExchanges, type Exchange } from './exchanges.ts';
import { matrix } from './matrix.ts';
import { printMatrix } from './print.ts';
import { platformEndpoints } from './platform-endpoints.ts';

const HELP = `npm run matrix [-- options]   every endpoint by every answer it declares: tested over real HTTP, or a HOLE

  --from DIR   read what an earlier run recorded in $CODASE_EXCHANGE_LOG instead of running the tests
  --json       print the matrix as JSON

Exit code 1 on a hole, on a failing test, and on an endpoint that is neither served nor listed in docs/not-built.json, or both.`;

await command(HELP, async (args) => {
  const { values } = readArguments(args, { from: { type: 'string' }, json: { type: 'boolean' } });
  if (values.from !== undefined && !existsSync(values.from)) throw new UsageFault(`There is no folder '${values.from}'.`);
  const { endpoints, served } = await platformEndpoints();
  return untilInterrupted(
    async (signal) => (values.from === undefined ? measure(signal) : { exchanges: await readExchanges(values.from), green: true }),
    ({ exchanges, green }) => {
      const result = matrix(endpoints, served, readNotBuilt(ROOT), exchanges);
      console.log(values.json ? JSON.stringify(result, null, 2) : printMatrix(result));
      for (const problem of result.problems) console.error(problem);
      if (!green) console.error("Tests failed, so the matrix is not to be trusted: see Jest's report above.");
      return result.problems.length || !green ? 1 : 0;
    },
  );
});

/** Runs the suites that call over HTTP and reads what they recorded. */
async function measure(signal: AbortSignal): Promise<{ exchanges: Exchange[]; green: boolean }> {
  const log = mkdtempSync(join(tmpdir(), 'codase-matrix-'));
  try {
    const { code } = await runNode([...JEST, 'apps/platform/', 'e2e/'], {
      cwd: ROOT,
      env: { CODASE_EXCHANGE_LOG: log },
      live: true,
      seconds: IDLE_SECONDS,
      signal,
    });
    return { exchanges: await readExchanges(log), green: code === 0 };
  } finally {
    rmSync(log, { recursive: true, force: true });
  }
}
