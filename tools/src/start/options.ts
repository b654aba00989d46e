import { parseArgs } from 'node:util';
import type { Scale } from '@codase/stack';
import { stateDirOf } from '@codase/stack/state-lock';
import { Fault } from '@codase/command-line';

export interface Options {
  help: boolean;
  /** Remove the state of earlier starts first. */
  fresh: boolean;
  /** Bring everything up, try what the demo shows, stop. */
  check: boolean;
  portBase: number;
  scale: Scale;
  stateDir: string;
  /** Servers of the caller. When absent, `npm start` runs its own. */
  external?: { databaseUrl: string; natsUrl: string };
  /** Where the services send their traces. When absent, the newest traces are kept in memory. */
  traces?: string;
}

export const HELP = `npm start [-- options]   runs the whole Company Data Service on this machine

  --fresh          remove what earlier starts left (databases, streams, logs, secrets), then start
  --check          start, show the table, try what the demo shows, stop; the exit code says whether it worked
  --port-base N    first of the ports to use (default 4000)
  --replicas N     so many of each service, from 1 to 3 (default 1); their callers reach them through a balancer
  --nats N         nodes of the NATS cluster, 1 or 3 (default 1); with 3 every stream lies on all of them
  --help           this page

Environment
  CODASE_PORT_BASE                  as --port-base
  CODASE_STATE_DIR                  folder of databases, logs and secrets (default .codase)
  DATABASE_URL, NATS_URL         use these servers instead of starting our own; set both or neither
  NATS_SERVER_BIN                the nats-server to run
  CODASE_INFRA                      binary or containers: what runs Postgres and NATS (default binary, containers for what has none)
  CODASE_POSTGRES_IMAGE, CODASE_NATS_IMAGE   the images of containers (default postgres:18-alpine, nats:2-alpine)
  OTEL_EXPORTER_OTLP_ENDPOINT    send traces there (OTLP over HTTP) instead of keeping the newest in memory

Ctrl-C stops everything that was started and keeps its state for the next start; a second Ctrl-C does not wait.`;

const DEFAULT_PORT_BASE = 4000;
/** The options of the command line, as `parseArgs` takes them. */
export const KNOWN = {
  help: { type: 'boolean', short: 'h' },
  fresh: { type: 'boolean' },
  check: { type: 'boolean' },
  'port-base': { type: 'string' },
  replicas: { type: 'string' },
  nats: { type: 'string' },
} as const;

/** Reads the command line and the environment; throws one Fault that names everything wrong with them. */
export function readOptions(args: string[], env: NodeJS.ProcessEnv, root: string): Options {
  const faults: string[] = [];
  const given = readArguments(args, faults);
  const options: Options = {
    help: given.has('help'),
    fresh: given.has('fresh'),
    check: given.has('check'),
    portBase: readPortBase(given, env, faults),
    scale: { replicas: readCount(given, 'replicas', [1, 2, 3], faults), nats: readCount(given, 'nats', [1, 3], faults) },
    stateDir: stateDirOf(env, root),
    external: readExternal(env, faults),
    traces: readUrl('OTEL_EXPORTER_OTLP_ENDPOINT', env, ['http:', 'https:'], faults),
  };
  if (options.fresh && options.external) {
    faults.push(
      '--fresh removes what npm start keeps on this machine, but DATABASE_URL and NATS_URL name servers of yours: ' +
        'empty those yourself, or unset both.',
    );
  }
  if (given.has('nats') && options.external)
    faults.push('--nats is about the servers that npm start runs, but NATS_URL names yours: leave one out.');
  if (faults.length) throw new Fault(faults, { exitCode: 2 });
  return options;
}

function readArguments(args: string[], faults: string[]): Map<string, string | undefined> {
  const { tokens } = parseArgs({ args, options: KNOWN, strict: false, allowPositionals: true, tokens: true });
  const given = new Map<string, string | undefined>();
  for (const token of tokens) {
    if (token.kind === 'positional') faults.push(`'${token.value}' is not understood: npm start takes options only (--help lists them).`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!Object.hasOwn(KNOWN, name)) faults.push(`There is no option ${rawName}: npm start -- --help lists those there are.`);
    else if (KNOWN[name as keyof typeof KNOWN].type === 'boolean' && value !== undefined)
      faults.push(`${rawName} takes no value: leave '=${value}' away.`);
    given.set(name, value);
  }
  return given;
}

function readPortBase(given: Map<string, string | undefined>, env: NodeJS.ProcessEnv, faults: string[]): number {
  const [name, text] = given.has('port-base') ? ['--port-base', given.get('port-base') ?? ''] : ['CODASE_PORT_BASE', env.CODASE_PORT_BASE];
  if (text === undefined || (name === 'CODASE_PORT_BASE' && text.trim() === '')) return DEFAULT_PORT_BASE;
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (port >= 1024 && port <= 65_000) return port;
  faults.push(`${name} is '${text}': give a whole number from 1024 to 65000.`);
  return DEFAULT_PORT_BASE;
}

function readCount(given: Map<string, string | undefined>, name: 'replicas' | 'nats', counts: readonly number[], faults: string[]): number {
  const count = given.has(name) ? counts.find((one) => String(one) === given.get(name)) : 1;
  if (count === undefined)
    faults.push(`--${name} is '${given.get(name) ?? ''}': give ${counts.slice(0, -1).join(', ')} or ${counts.at(-1)}.`);
  return count ?? 1;
}

function readExternal(env: NodeJS.ProcessEnv, faults: string[]): Options['external'] {
  const databaseUrl = readUrl('DATABASE_URL', env, ['postgres:', 'postgresql:'], faults);
  const natsUrl = readUrl('NATS_URL', env, ['nats:', 'tls:'], faults);
  if (databaseUrl === undefined && natsUrl === undefined) return undefined;
  if (databaseUrl === undefined || natsUrl === undefined) {
    const [set, unset] = natsUrl === undefined ? ['DATABASE_URL', 'NATS_URL'] : ['NATS_URL', 'DATABASE_URL'];
    faults.push(`${set} is set and ${unset} is not: set both to use your own servers, or unset ${set} to have npm start run them.`);
    return undefined;
  }
  return { databaseUrl, natsUrl };
}

/** Reads a URL from the environment. The sentence of a fault never repeats the value, which may hold a password. */
function readUrl(name: string, env: NodeJS.ProcessEnv, protocols: string[], faults: string[]): string | undefined {
  const text = env[name]?.trim();
  if (!text) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits = url !== undefined && url.hostname !== '' && protocols.includes(url.protocol);
  if (!fits) faults.push(`${name} is not a URL such as ${protocols[0]}//host: mend it or unset it.`);
  return text;
}
