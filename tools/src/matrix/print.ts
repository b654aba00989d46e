import { table } from '@codase/command-line';
import type { Cell, Matrix, Row } from './matrix.ts';

export function printMatrix({ rows, remaining }: Matrix): string {
  const undeclared = rows.filter((row) => row.undeclared.length).map((row) => `${row.endpoint}: ${row.undeclared.join(', ')}`);
  return [
    table(rows.map((row) => [row.endpoint, row.route, row.cells.map(printCell).join('  ')])),
    ...list('answered in tests, but not declared by the contract:', undeclared),
    ...list('not built yet:', remaining),
    '',
    totals(rows, remaining),
  ].join('\n');
}

const printCell = ({ answer, tested, later }: Cell) => `${answer} ${tested ? '✓' : later ? 'later' : 'HOLE'}`;

const list = (title: string, lines: readonly string[]) => (lines.length ? ['', title, ...lines.map((line) => `  ${line}`)] : []);

function totals(rows: readonly Row[], remaining: readonly string[]): string {
  const cells = rows.flatMap((row) => row.cells);
  const tested = cells.filter((cell) => cell.tested).length;
  const later = cells.filter((cell) => cell.later).length;
  return (
    `${rows.length} endpoints served, ${tested} of ${cells.length} answers tested, ${later} to come, ${remaining.length} routes not ` +
    'built'
  );
}
