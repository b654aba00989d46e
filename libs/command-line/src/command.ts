import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The command was called wrongly: it prints a sentence that says so and exits with code 2. */
export class UsageFault extends Error {}

/** Where a command writes its lines. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
}

/** Runs a command. Its exit code is 0 when it succeeds, 1 when it does not, 2 when it was called wrongly. `--help` prints the page. */
export async function runCommand(
  help: string,
  args: string[],
  { out, err }: Terminal,
  run: (args: string[]) => Promise<number>,
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    out(help);
    return 0;
  }
  try {
    return await run(args);
  } catch (fault) {
    if (!(fault instanceof UsageFault)) throw fault;
    err(`${fault.message} --help shows what there is.`);
    return 2;
  }
}

/** The terminal of this process. */
export const TERMINAL: Terminal = { out: (line) => console.log(line), err: (line) => console.error(line) };

/** Runs a command with the arguments of this process, which exits with the command's exit code. */
export async function command(help: string, run: (args: string[]) => Promise<number>): Promise<void> {
  process.exitCode = await runCommand(help, process.argv.slice(2), TERMINAL, run);
}

/** Returns a signal that is aborted when the command is asked to end, by Ctrl-C or otherwise; it has to end itself then. */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

/** The exit code of a command that was interrupted. */
export const INTERRUPTED = 130;

/** Reads options and positional arguments strictly; an unknown option is a UsageFault. */
export function readArguments<const O extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (fault) {
    throw new UsageFault(`${(fault as Error).message.split('. ')[0]}.`);
  }
}

/** Reads a positive number given as an option. */
export function readNumber(name: string, text: string | undefined, { mayBeZero = false } = {}): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  const isAllowed = text.trim() !== '' && Number.isFinite(number) && (mayBeZero ? number >= 0 : number > 0);
  if (!isAllowed) throw new UsageFault(`${name} is '${text}': give a number ${mayBeZero ? 'that is not negative' : 'above 0'}.`);
  return number;
}
