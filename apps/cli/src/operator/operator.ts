import { asFault, runCommand, UsageFault, type Terminal } from '@codase/command-line';
import { COMMANDS } from './commands.ts';

const page = Object.values(COMMANDS)
  .map(({ usage, what }) => `  ${usage}\n      ${what}`)
  .join('\n');

const HELP = `npm run operator -- COMMAND [--json]   what only an operator of the platform may ask of it

${page}

  --json   the result as JSON
  --help   this page; behind a command, that command's line

It asks the stack that npm start runs (CODASE_STATE_DIR names its state folder), or the platform of these variables:
  NATS_URL, NATS_USER, NATS_PASSWORD   the bus, and the operator's user on it (default platform-operator)
  NATS_CA, NATS_CERT, NATS_KEY         for tls://…: PEM of who signed its certificate, and of yours
Each may be given by file, as in NATS_PASSWORD_FILE.

Exit code 1 when the platform refused or did not answer, 2 when the command was asked wrongly.`;

const find = (name: string | undefined) => (name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined);

const helpOf = (known: ReturnType<typeof find>): string =>
  known ? `npm run operator -- ${known.usage}\n  ${known.what}\n\nExit code 1 when it was refused, 2 when it was asked wrongly.` : HELP;

/** Runs the command with these arguments. Returns its exit code. */
export function operator(given: string[], env: NodeJS.ProcessEnv, terminal: Terminal): Promise<number> {
  return runCommand(helpOf(find(given[0])), given, terminal, async (args) => {
    const [name, ...words] = args.filter((word) => word !== '--json');
    const known = find(name);
    if (!known) {
      const why = name === undefined ? 'Name a command' : `There is no command '${name}'`;
      throw new UsageFault(`${why}: ${Object.keys(COMMANDS).join(', ')}.`);
    }
    try {
      const ask = known.read(words);
      const { withPlatform } = await import('./platform.ts'); // loaded late, so that help does not wait for it
      const { said, result } = await withPlatform(env, ask);
      if (args.includes('--json') || said !== '') terminal.out(args.includes('--json') ? JSON.stringify(result) : said);
      return 0;
    } catch (error) {
      if (error instanceof UsageFault) throw error;
      terminal.err(asFault(error).message);
      return 1;
    }
  });
}
