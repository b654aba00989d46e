/** Returns the rows of every table that has the given column, each by the names of its columns. */
export function tablesWith(column: string, text: string): Record<string, string>[] {
  const tables = text.split(/\n(?!\|)/).map((block) =>
    block
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map(cells),
  );
  const byColumn = ([head, , ...rows]: string[][]) => rows.map((row) => Object.fromEntries(row.map((cell, i) => [head![i]!, cell])));
  return tables.filter(([head]) => head?.includes(column)).flatMap(byColumn);
}

const cells = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
