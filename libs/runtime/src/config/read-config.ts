import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { OperatorFault } from '../operator-fault.ts';

/** What is wrong with a configuration, every fault at once. The message names variables and expectations, never a value. */
export class ConfigFault extends OperatorFault {
  override readonly name = 'ConfigFault';

  constructor(readonly faults: readonly string[]) {
    const list = faults.map((fault) => `\n  - ${fault}`).join('');
    super(`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:${list}`);
  }
}

type Env = Readonly<Record<string, string | undefined>>;

/** The file that a variable came from, and the text that was in it. */
interface Source {
  path: string;
  text: string;
}
const SOURCES = Symbol('files of variables');

/**
 * Reads an app's configuration from the environment by its one schema. A variable may be given as a file: `X_FILE` names the file that
 * holds `X`, which is how secrets are mounted. An empty variable counts as absent. With a prefix, which a process with several roles uses,
 * `PREFIX_X` takes precedence over `X`.
 */
export function readConfig<S extends z.ZodObject>(schema: S, plain: Env = process.env, prefix = ''): z.output<S> {
  const env = prefix ? withPrefix(plain, prefix) : plain;
  const faults: string[] = [];
  const given: Record<string, string> = {};
  const sources = new Map<string, Source>();
  for (const name of Object.keys(schema.shape)) {
    const file = env[name] ? undefined : fromFile(name, env, faults);
    const value = env[name] || file?.text;
    if (value) given[name] = value;
    if (file) sources.set(name, file);
  }
  const parsed = schema.safeParse(given);
  if (parsed.success && faults.length === 0) return Object.defineProperty(parsed.data, SOURCES, { value: sources });
  const invalid = parsed.error?.issues.map(({ path, message }) => describe(String(path[0]), given, message)) ?? [];
  throw new ConfigFault([...faults, ...invalid.filter((fault) => !faults.some((f) => f.startsWith(`${fault.split(':')[0]}_FILE:`)))]);
}

function withPrefix(env: Env, prefix: string): Env {
  const own = Object.entries(env).filter(([name, value]) => name.startsWith(prefix) && value);
  return { ...env, ...Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])) };
}

/** The file that a variable of a configuration was read from; undefined when it was not given as a file. */
export const sourceOf = (config: object, name: string): Source | undefined =>
  (config as { [SOURCES]?: ReadonlyMap<string, Source> })[SOURCES]?.get(name);

function fromFile(name: string, env: Env, faults: string[]): Source | undefined {
  const path = env[`${name}_FILE`];
  if (!path) return undefined;
  try {
    return { path, text: readFileSync(path, 'utf8').trim() };
  } catch (error) {
    faults.push(`${name}_FILE: cannot read ${path} (${(error as NodeJS.ErrnoException).code})`);
    return undefined;
  }
}

const describe = (name: string, given: Record<string, string>, expectation: string) =>
  `${name}: ${Object.hasOwn(given, name) ? expectation : `not set; give ${name} or ${name}_FILE`}`;

/**
 * Returns a function that reads a variable from its file, for a text that is needed again and again, such as a password at each connect.
 * While the file cannot be read, as when its mount is being replaced, the function returns what was read last.
 */
export function liveText<N extends string>(config: { readonly [K in N]?: string | undefined }, name: N): () => string | undefined {
  const source = sourceOf(config, name);
  let last: string | undefined = config[name];
  return () => {
    if (source) last = textIn(source.path) || last;
    return last;
  };
}

function textIn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined; // a connection that is made with the last text says what is wrong
  }
}
