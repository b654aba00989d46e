import type { Bar, Bench } from './bench.ts';
import { medians, type Round } from './measure.ts';
import { median } from './statistics.ts';

interface Judged {
  name: string;
  /** The figure of the judged contender, or a ratio when the bar names a contender to divide by. */
  value: number;
  /** The smallest and largest value of any round. */
  range: readonly [number, number];
  bar: number;
  less: boolean;
  ok: boolean;
}

export interface Verdict {
  bench: string;
  figures: Round;
  bars: Judged[];
  ok: boolean;
}

export function judge({ name, bar }: Pick<Bench, 'name' | 'bar'>, rounds: readonly Round[]): Verdict {
  const bars = barsOf(bar).map((one) => judgeBar(one, rounds));
  return { bench: name, figures: medians(rounds), bars, ok: bars.every(({ ok }) => ok) };
}

const barsOf = (bar: Bench['bar']): readonly Bar[] => (typeof bar === 'number' ? [{ over: 'floor', atLeast: bar }] : bar);

/** Judges the median of the ratios within each round, not the ratio of medians: a slow round slows both sides of its ratio. */
function judgeBar(bar: Bar, rounds: readonly Round[]): Judged {
  const { figure = 'rate', of = 'ours', over } = bar;
  const values = rounds.map((round) => figureIn(round, of, figure) / (over === undefined ? 1 : figureIn(round, over, figure)));
  const less = 'atMost' in bar;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const value = !bar.everyRound ? median(values) : less ? highest : lowest;
  const limit = less ? bar.atMost : bar.atLeast;
  const name = bar.name ?? `${figure} of ${of}${over === undefined ? '' : ` over ${over}`}`;
  return { name, value, range: [lowest, highest], bar: limit, less, ok: less ? value <= limit : value >= limit };
}

function figureIn(round: Round, contender: string, figure: string): number {
  const value = round[contender]?.[figure];
  if (value !== undefined) return value;
  throw new Error(`The bar names the figure ${figure} of ${contender}, which no round gave: mend the bar or the contender.`);
}
