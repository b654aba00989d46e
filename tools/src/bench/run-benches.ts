import { availableParallelism, cpus } from 'node:os';
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
