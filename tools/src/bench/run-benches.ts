import { readdirSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { judge, jsonLine, measure, report, type Bench } from '@codase/bench';

/** How long a bench measures when neither the caller nor the bench sets a time. */
export const DEFAULT_SECONDS = 10;
const ROUNDS = 7;

export async function runBenches(
  benches: readonly Bench[],
  seconds: number | undefined,
  say: (text: string) => void,
  progress?: (text: string) => void,
): Promise<boolean> {
  let ok = true;
  for (const bench of benches) {
    const rounds = await measure(bench, {
      seconds: seconds ?? bench.seconds ?? DEFAULT_SECONDS,
      rounds: ROUNDS,
      progress: (text) => progress?.(`${bench.name}: ${text}`),
    });
    progress?.('');
    const verdict = judge(bench, rounds);
    say(`${report(bench, verdict)}\n${machine()}, ${rounds.length} rounds\n\n${jsonLine(verdict)}`);
    ok &&= verdict.ok;
  }
  return ok;
}

/** Names the machine of the measurement: figures of other machines differ. */
const machine = () => `  on ${cpus()[0]?.model ?? process.arch}, ${availableParallelism()} cores, Node ${process.versions.node}`;

const SUFFIX = '.bench.js';

export const benchNames = (dir: string): string[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();

export const findBenches = (dir: string, names = benchNames(dir)): Promise<Bench[]> => Promise.all(names.map((name) => load(dir, name)));

async function load(dir: string, name: string): Promise<Bench> {
  const { default: bench } = (await import(pathToFileURL(join(dir, `${name}${SUFFIX}`)).href)) as { default?: Bench };
  if (bench?.name === name) return bench;
  throw new Error(`bench/src/${name}.bench.ts must export a bench of its own name as default.`);
}
