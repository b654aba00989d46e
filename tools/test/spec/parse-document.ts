import type { Section } from '../../src/spec/sections.ts';

/** The numbered headings of a document and how many numbered points follow each. An unnumbered heading belongs to the section above it. */
export function sectionsIn(document: 'D1' | 'D2', text: string): Section[] {
  const sections: Section[] = [];
  for (const line of text.split('\n')) {
    const [, number, title] = /^#{2,3} (\d+(?:\.\d+)*)\.? (.+)$/.exec(line) ?? [];
    if (number && title) sections.push({ id: `${document}-${number}`, title: title.trim() });
    const point = /^(\d+)\. /.exec(line)?.[1];
    const section = sections.at(-1);
    if (point && section) section.points = Number(point);
  }
  return sections;
}

/** A route as a document mentions it; no method when it shows none. */
export interface Mention {
  method: string | undefined;
  path: string;
}

/** Every route a document names: in the first column of its endpoint tables, and anywhere in its text. */
export const routesIn = (text: string): Mention[] => [...tableCells(text).flatMap(routesInCell), ...routesInText(text)];

/** The first cells of the tables whose first column is a method and a path. */
function tableCells(text: string): string[] {
  const tables = text.split('\n').reduce<string[][]>(
    (all, line) => {
      if (!line.startsWith('|')) return [...all, []];
      all.at(-1)!.push(line.split('|')[1]!.trim());
      return all;
    },
    [[]],
  );
  return tables.filter(([head]) => head === 'Method and path').flatMap((cells) => cells.slice(2));
}

/** Returns the routes of a cell. A method applies until the next one, and `...` repeats the folder of the first path. */
export function routesInCell(cell: string): Mention[] {
  let methods: (string | undefined)[] = [undefined];
  let folder: string | undefined;
  return [...cell.matchAll(/(?<methods>\b[A-Z]{3,}\b(?: and [A-Z]{3,}\b)?)(?= \.{0,3}\/)|(?<path>(?:\.\.\.)?\/[^\s,;]+)/g)].flatMap(
    ({ groups }) => {
      if (groups?.methods) methods = groups.methods.split(' and ');
      if (!groups?.path) return [];
      const path = groups.path.replace('...', folder ?? '');
      folder ??= path.slice(0, path.lastIndexOf('/'));
      return methods.map((method) => ({ method, path }));
    },
  );
}

/** `GET /api/x` and `{forwarder_url}/call` in running text, and paths of the API without a method. */
function routesInText(text: string): Mention[] {
  const shown = text.matchAll(/(?:\b(GET|POST|PUT|DELETE) )?(?:{forwarder_url}(?=\/call))?(\/(?:api|oauth2|call)\b[\w/{}*.-]*)/g);
  return [...shown].map(([, method, path]) => ({ method, path: path!.replace(/[.]$/, '') }));
}
