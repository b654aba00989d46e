import { join } from 'node:path';
import { command, readArguments, readNumber, table, UsageFault } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { benchNames, DEFAULT_SECONDS, findBenches, runBenches } from './run-benches.ts';

const BENCHES = join(ROOT, 'bench/dist');

const HELP = `npm run bench -- NAME… [--seconds N]   measures ours against floors and peers, interleaved in one run

  NAME         one or more benches, or all; without a name they are listed
  --seconds N  time for all rounds of a bench together (default ${DEFAULT_SECONDS}, or what the bench needs)

For each bench a table and one line of JSON. Exit code 1 when a bar is not taken.`;

await command(HELP, async (args) => {
  const { values, positionals } = readArguments(args, { seconds: { type: 'string' } });
  const seconds = readNumber('--seconds', values.seconds);
  const names = benchNames(BENCHES);
  if (positionals.length === 0) {
    console.log(table((await findBenches(BENCHES)).map(({ name, what }) => [name, what])));
    return 0;
  }
  const unknown = positionals.filter((name) => name !== 'all' && !names.includes(name));
  if (unknown.length) throw new UsageFault(`There is no bench '${unknown.join("', '")}': there are ${names.join(', ')}.`);
  const chosen = await findBenches(
    BENCHES,
    names.filter((name) => positionals.includes('all') || positionals.includes(name)),
  );
  return (await runBenches(chosen, seconds, console.log, process.stderr.isTTY ? show : undefined)) ? 0 : 1;
});

function show(text: string): void {
  process.stderr.write(`\r\u001b[2K${text}`);
}
