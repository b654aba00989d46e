import type { Bench, Contender, Figures, Sample } from './bench.ts';
import { median, quantile } from './statistics.ts';

export type Round = Readonly<Record<string, Figures>>;

interface Plan {
  /** The time for all rounds of all contenders together. */
  seconds: number;
  rounds: number;
  progress?(text: string): void;
}

/** Runs the contenders in turns: first uncounted warm-up rounds, then rounds that each begin with another contender. */
export async function measure<S, C extends string>(bench: Bench<S, C>, { seconds, progress, ...plan }: Plan): Promise<Round[]> {
  const { rounds = plan.rounds, warmUps = 1 } = bench;
  const names = Object.keys(bench.contenders) as C[];
  const share = seconds / names.length / (rounds + warmUps);
  const state = (await bench.setup?.()) as S;
  try {
    const measured: Round[] = [];
    for (let played = 0; played < warmUps + rounds; played += 1) {
      progress?.(played < warmUps ? 'warming up' : `round ${played - warmUps + 1} of ${rounds}`);
      const figures = await playRound(bench.contenders, rotated(names, played), { state, seconds: share });
      if (played >= warmUps) measured.push(compared(bench, figures));
    }
    return measured;
  } finally {
    await bench.teardown?.(state);
  }
}

const rotated = <T>(items: readonly T[], by: number): T[] => items.map((_, i) => items[(i + by) % items.length]!);

async function playRound<S, C extends string>(
  contenders: Bench<S, C>['contenders'],
  order: readonly C[],
  turn: { state: S; seconds: number },
): Promise<Record<C, Figures>> {
  const round = Object.fromEntries(Object.keys(contenders).map((name) => [name, {}])) as Record<C, Figures>;
  for (const name of order) round[name] = await play(contenders[name], turn);
  return round;
}

function compared<S, C extends string>({ compare }: Pick<Bench<S, C>, 'compare'>, round: Record<C, Figures>): Record<C, Figures> {
  const added = compare?.(round);
  const names = Object.keys(round) as C[];
  return Object.fromEntries(names.map((name) => [name, { ...round[name], ...added?.[name] }])) as Record<C, Figures>;
}

async function play<S>(contender: Contender<S>, turn: { state: S; seconds: number }): Promise<Figures> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  const sample = await contender(turn);
  const [seconds, { user, system }] = [(performance.now() - start) / 1000, process.cpuUsage(cpu)];
  return figuresOf(sample, { seconds, cpuMicroseconds: user + system });
}

/** Turns a sample into figures. Throws when a contender did nothing in its time, because it cannot be judged. */
export function figuresOf(
  { operations, seconds, rate, latencies, figures }: Sample,
  spent: { seconds: number; cpuMicroseconds: number },
): Figures {
  if (operations <= 0) throw new Error('A contender finished no operation in its share of a round: give it more time with --seconds.');
  return {
    rate: rate ?? operations / (seconds ?? spent.seconds),
    cpu_us: spent.cpuMicroseconds / operations,
    ...(latencies?.length && { p50_ms: quantile(latencies, 0.5), p99_ms: quantile(latencies, 0.99) }),
    ...figures,
  };
}

export function medians(rounds: readonly Round[]): Round {
  const names = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, mediansOf(rounds.map((round) => round[name]!))]));
}

function mediansOf(rounds: readonly Figures[]): Figures {
  return Object.fromEntries(Object.keys(rounds[0]!).map((figure) => [figure, median(rounds.map((figures) => figures[figure] ?? 0))]));
}
