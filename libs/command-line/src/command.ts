import { parseArgs, type ParseArgsConfig } from 'node:util';

/** The command was asked wrongly: it says so in a sentence and leaves with 2. */
export class UsageFault extends Error {}

/** Where a command writes its lines. */
export interface Terminal {
  out(line: string): void;
  err(line: string): void;
}

/**
 * Runs a command and answers its exit code: 0 it holds, 1 it does not, 2 it was asked wrongly.
 * `--help` prints the page and does nothing else.
 */
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

/** The same with the arguments of this process, which leaves with its exit code. */
export async function command(help: string, run: (args: string[]) => Promise<number>): Promise<void> {
  process.exitCode = await runCommand(help, process.argv.slice(2), TERMINAL, run);
}

/** Aborts when the command is asked to end, by Ctrl-C or otherwise; from then on the command ends itself. */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
  return stop.signal;
}

/** The exit code of a command that was interrupted. */
export const INTERRUPTED = 130;

/** Reads options and positional words strictly; what is not known is a UsageFault. */
export function readArguments<const O extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (fault) {
    throw new UsageFault(`${(fault as Error).message.split('. ')[0]}.`);
  }
}

/** A positive number given as an option. */
export function readNumber(name: string, text: string | undefined, { mayBeZero = false } = {}): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  const isAllowed = text.trim() !== '' && Number.isFinite(number) && (mayBeZero ? number >= 0 : number > 0);
  if (!isAllowed) throw new UsageFault(`${name} is '${text}': give a number ${mayBeZero ? 'that is not negative' : 'above 0'}.`);
  return number;
}
