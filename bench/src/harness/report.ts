import type { Bench } from './bench.ts';
import type { Verdict } from './verdict.ts';

/** Formats the verdict for people: a line for each contender, then one for each bar. */
export function report({ what, unit }: Pick<Bench, 'what' | 'unit'>, { bench, figures, bars }: Verdict): string {
  const names = Object.keys(figures);
  const columns = [...new Set(names.flatMap((name) => Object.keys(figures[name]!)))];
  const head = ['', ...columns.map((column) => (column === 'rate' ? unit : column))];
  const rows = names.map((name) => [name, ...columns.map((column) => written(figures[name]![column]))]);
  return [`${bench}: ${what}`, '', ...aligned([head, ...rows]), '', ...bars.map(line)].join('\n');
}

function line({ name, value, range: [low, high], bar, less, ok }: Verdict['bars'][number]): string {
  const judged = `${written(value)} (rounds ${written(low)} to ${written(high)})`;
  return `${ok ? '✓' : '✗'} ${name}: ${judged}, the bar is ${less ? 'at most' : 'at least'} ${written(bar)}`;
}

/** Formats the verdict for programs, as one line. The first bar also has its own members, since most benches have only one. */
export function jsonLine({ bench, figures, bars, ok }: Verdict): string {
  const [first] = bars;
  return JSON.stringify({ bench, figures, floor: figures.floor?.rate, ratio: first?.value, bar: first?.bar, bars, ok });
}

function written(value: number | undefined): string {
  if (value === undefined) return '-';
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(4)));
}

function aligned(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '));
}
