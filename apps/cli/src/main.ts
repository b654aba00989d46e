// npm run codase: commands for developers, on a running suite.
import { asFault, command, INTERRUPTED, interruption, table, UsageFault } from '@codase/command-line';
import { COMMANDS, type CodaseCommand } from './commands.ts';

const HELP = `npm run codase -- COMMAND [--json]   what a developer asks of a running suite

${Object.values(COMMANDS)
  .map(({ usage, what }) => `  ${usage}\n      ${what}`)
  .join('\n')}

  --json   results as JSON, a line each; what went wrong as {"error": …}, beside the words of it
  --help   this page; behind a command, what that one takes

It works with the stack that npm start runs (CODASE_STATE_DIR names its state folder). Commands in which a person of the demo acts work
with it alone: trigger, flows play, enrol, approve, deny, delete-person. The others also work with another suite, whose bus and user
on it these variables name:
  NATS_URL, NATS_USER, NATS_PASSWORD   each may be given by file, as in NATS_PASSWORD_FILE
  GATEWAY_URL, GATEWAY_TOKEN           the gateway's HTTP server, for documents that are longer than the bus carries

Exit code 1 when it was refused, nobody answered or status found something wrong, 2 when it was asked wrongly, 130 when it was cut short
by Ctrl-C.`;

/** How long a command may take to end by itself after it was interrupted. */
const LEAVE_MS = 2000;

/** Returns the signal of an interruption. Many commands do not look at it: one that has not ended soon after it is cut short. */
function interruptionOf({ endsItself }: CodaseCommand): AbortSignal {
  const signal = interruption();
  if (!endsItself) signal.addEventListener('abort', () => setTimeout(leave, LEAVE_MS).unref());
  return signal;
}

function leave(): void {
  console.error('Interrupted.');
  process.exit(INTERRUPTED);
}

const helpOf = ({ usage, what, takes }: CodaseCommand): string => `npm run codase -- ${usage} [--json]   ${what}

${table([...takes, ['--json', 'the result as JSON']].map(([word, meaning]) => [`  ${word}`, meaning!]))}

Exit code 1 when it was refused or nobody answered, 2 when it was asked wrongly, 130 when Ctrl-C cut it short.`;

/** Returns the command that the words begin with, and the words after it. */
function find(words: readonly string[]): { command: CodaseCommand; rest: string[] } | undefined {
  for (const [name, command] of Object.entries(COMMANDS)) {
    const length = name.split(' ').length;
    if (words.slice(0, length).join(' ') === name) return { command, rest: words.slice(length) };
  }
  return undefined;
}

// The reader of the output has closed it, so the rest is not needed.
process.stdout.on('error', () => process.exit(0));

const found = find(process.argv.slice(2));

await command(found ? helpOf(found.command) : HELP, async (args) => {
  if (!found) {
    const why = args[0] === undefined ? 'Name a command' : `There is no command '${args[0]}'`;
    throw new UsageFault(`${why}: ${Object.keys(COMMANDS).join(', ')}.`);
  }
  const json = args.includes('--json');
  try {
    const run = (await found.command.load())(found.rest.filter((word) => word !== '--json'));
    const { targetOf } = await import('./target.ts'); // loaded late, like the command itself, so that help does not wait for it
    const code = await run({
      target: targetOf(process.env),
      print: (said, result) => console.log(json ? JSON.stringify(result) : said),
      note: (line) => console.error(line),
      signal: interruptionOf(found.command),
    });
    return code ?? 0;
  } catch (error) {
    const { message } = asFault(error);
    if (json) console.log(JSON.stringify({ error: message }));
    if (error instanceof UsageFault) throw error;
    console.error(message);
    return 1;
  }
});
