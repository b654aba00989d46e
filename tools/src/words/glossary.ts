import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const GLOSSARY = 'docs/glossary.md';

/** Returns what is wrong with the glossary: a term that occurs twice or out of order, or a row that does not have three columns. */
export function glossaryProblems(root: string): string[] {
  const tables = readFileSync(join(root, GLOSSARY), 'utf8').split(/^## /m).slice(1).map(rowsOf);
  const terms = tables.map((rows) => rows.map(([term]) => term ?? ''));
  return [
    ...tables
      .flat()
      .filter(isIncomplete)
      .map(([term]) => `${GLOSSARY}: the row "${term}" needs a term, a meaning and where it is defined.`),
    ...terms.flatMap(outOfOrder).map((term) => `${GLOSSARY}: "${term}" stands before a term it belongs behind: sort by term.`),
    ...twice(terms.flat()).map((term) => `${GLOSSARY}: "${term}" stands twice: one word, one meaning.`),
  ];
}

const rowsOf = (section: string): string[][] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| term |'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

const isIncomplete = (row: string[]) => row.length !== 3 || row.includes('');

const outOfOrder = (terms: string[]) => terms.filter((term, i) => i + 1 < terms.length && sortKey(term) > sortKey(terms[i + 1]!));

const twice = (terms: string[]) => terms.filter((term, i) => terms.findIndex((other) => sortKey(other) === sortKey(term)) < i);

/** The text by which a term is sorted: case and backticks do not count. */
const sortKey = (term: string) => term.toLowerCase().replaceAll('`', '');
