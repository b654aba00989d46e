import { cycles } from './cycles.ts';
import { filesImportedBy, type Importing } from './imports.ts';
import { districtOf, isTest } from './relative.ts';
import { DISTRICTS } from './rules.ts';

export interface Arrow {
  from: string;
  to: string;
  imports: number;
}

/** Counts the imports between the districts of the platform, without those of tests. */
export function arrowsOf(sources: readonly Importing[]): Arrow[] {
  const counts = new Map<string, Arrow>();
  for (const source of sources.filter(({ file }) => !isTest(file))) {
    const from = districtOf(source.file);
    for (const to of filesImportedBy(source).map(districtOf)) {
      if (from === undefined || to === undefined || from === to) continue;
      const arrow = counts.get(`${from} ${to}`) ?? { from, to, imports: 0 };
      counts.set(`${from} ${to}`, { ...arrow, imports: arrow.imports + 1 });
    }
  }
  return [...counts.values()];
}

/** Returns a sentence for each allowed arrow that no import needs any more, and for each cycle of the allowed ones. */
export function districtProblems(sources: readonly Importing[], allowed = DISTRICTS): string[] {
  const arrows = arrowsOf(sources);
  const isDrawn = (from: string, to: string) => arrows.some((arrow) => arrow.from === from && arrow.to === to);
  const stale = Object.entries(allowed).flatMap(([from, targets]) =>
    targets.filter((to) => !isDrawn(from, to)).map((to) => ({ from, to })),
  );
  return [
    ...stale.map(({ from, to }) => `rules.ts lets the district ${from} import ${to}, and no file does: take it off the list.`),
    ...cycles(new Map(Object.entries(allowed))).map((path) => `the districts ${path.join(' → ')} import each other in a cycle.`),
  ];
}
