import { parseArgs } from 'node:util';
import { Fault } from '@codase/command-line';
import { KNOWN, readOptions, type Options } from '../start/options.ts';

/** The options of `npm run dev`: those of `npm start` and its own. */
export interface DevOptions extends Options {
  names: readonly string[];
  inspect?: Inspect;
}

export interface Inspect {
  /** The port of the first watched service; each further one has the next port. */
  port: number;
  /** Whether a service waits for the debugger before its first line. */
  isAwaited: boolean;
}

const DEFAULT_PORT = 9229;
const INSPECT = /^--inspect(?<isAwaited>-brk)?(?:=(?<port>.*))?$/;

export const HELP = `npm run dev -- SERVICE... [options]

Runs the stack as npm start does, and restarts services when their source
changes.

  SERVICE             front-door, region-eu, region-us, delivery, forwarder,
                      gateway, feed-consumer, decryptor, flows, twofa,
                      shop-backend, or the name of an app: platform is all five
                      of its roles
  --inspect[=N]       each watched service listens for a debugger on 127.0.0.1,
                      from port N (default 9229)
  --inspect-brk[=N]   the same, and each start of a watched service waits for
                      the debugger
  --fresh, --port-base N, --replicas N, --nats N
                      as for npm start (npm start -- --help), and so is the
                      environment
  --help              this page

The app of a service and the libraries it is built from are watched. After a
save only what changed is built, and only the watched services that have the
file are restarted. Databases, streams and all other services keep running. A
source that does not build is reported, and the running process stays. Types
are not checked: npm test -- --only types does that.

Ctrl-C stops everything that was started and keeps its state for the next
start; a second Ctrl-C does not wait.`;

/** Reads the command line and the environment; throws one Fault that names everything wrong with them. */
export function readDevOptions(args: string[], env: NodeJS.ProcessEnv, root: string): DevOptions {
  const inspecting = args.filter((arg) => INSPECT.test(arg));
  const { names, rest } = splitNames(args.filter((arg) => !INSPECT.test(arg)));
  const faults: string[] = [];
  const options = optionsOfStart(rest, env, root, faults);
  const inspect = inspecting.length > 0 ? readInspect(inspecting.at(-1)!, faults) : undefined;
  if (names.length === 0 && !rest.includes('--help') && !rest.includes('-h'))
    faults.push('Name a service to watch: npm run dev -- gateway (--help lists them). To run the stack without watching: npm start.');
  if (rest.includes('--check')) faults.push('--check stops the stack when it is up: use it with npm start.');
  if (!options || faults.length > 0) throw new Fault(faults, { exitCode: 2 });
  return { ...options, names, ...(inspect && { inspect }) };
}

/** Separates the names of services from the options of `npm start` and their values. */
function splitNames(args: string[]): { names: string[]; rest: string[] } {
  const { tokens } = parseArgs({ args, options: KNOWN, strict: false, allowPositionals: true, tokens: true });
  const positions = new Set(tokens.flatMap((token) => (token.kind === 'positional' ? [token.index] : [])));
  return { names: args.filter((_, i) => positions.has(i)), rest: args.filter((_, i) => !positions.has(i)) };
}

function optionsOfStart(args: string[], env: NodeJS.ProcessEnv, root: string, faults: string[]): Options | undefined {
  try {
    return readOptions(args, env, root);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.push(error.message);
    return undefined;
  }
}

function readInspect(arg: string, faults: string[]): Inspect {
  const { isAwaited, port: text = String(DEFAULT_PORT) } = INSPECT.exec(arg)!.groups!;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port >= 1024 && port <= 65_000)) faults.push(`${arg.split('=')[0]} is '${text}': give a whole number from 1024 to 65000.`);
  return { port, isAwaited: isAwaited !== undefined };
}
