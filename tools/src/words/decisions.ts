import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'docs/decisions';
/** The status, in the index, of a page that decided nothing: what it measured is in a page of docs/measurements. Its number stays taken. */
const MOVED = 'moved to measurements';

/** A page of the decision records. Numbers that its status line lacks are left out. */
interface Page {
  file: string;
  text: string;
  number: number;
  title: string | undefined;
  status: string | undefined;
  /** The later decisions that replace a part of this one, or all of it. */
  amendedBy: number[];
  supersededBy: number | undefined;
  /** The earlier decisions that this one replaces in part, or as a whole. */
  amended: number[];
  supersedes: number[];
}

/** Returns what is wrong with the decision records: their lines, statuses that later pages do not confirm, file names, the index. */
export function decisionProblems(root: string): string[] {
  const read = (file: string) => readFileSync(join(root, FOLDER, file), 'utf8');
  const files = readdirSync(join(root, FOLDER)).filter((file) => /^\d{4}-.*\.md$/.test(file));
  const pages = files.toSorted().map((file) => readPage(file, read(file)));
  const index = read('README.md');
  return [
    ...pages.flatMap((page) =>
      [...pageProblems(page, index), ...replacementProblems(page, pages)].map((p) => `${FOLDER}/${page.file}: ${p}`),
    ),
    ...indexProblems(root, index, pages).map((problem) => `${FOLDER}/README.md: ${problem}`),
  ];
}

function readPage(file: string, text: string): Page {
  const status = /^Status: (accepted(?:, amended by \d+(?:, \d+)*)?|superseded by \d+)(?: ·|$)/m.exec(text)?.[1];
  const replaced = /\bSupersedes: ((?:part of )?\d+(?:, (?:part of )?\d+)*)(?: ·|$)/m.exec(text)?.[1]?.split(', ') ?? [];
  return {
    file,
    text,
    number: Number(file.slice(0, 4)),
    title: /^# \d+\. (.+)$/m.exec(text)?.[1],
    status,
    amendedBy: status?.startsWith('accepted, ') ? numbersIn(status) : [],
    supersededBy: status?.startsWith('superseded') ? numbersIn(status)[0] : undefined,
    amended: replaced.filter((part) => part.startsWith('part')).flatMap(numbersIn),
    supersedes: replaced.filter((part) => !part.startsWith('part')).flatMap(numbersIn),
  };
}

const numbersIn = (text: string): number[] => [...text.matchAll(/\d+/g)].map(([digits]) => Number(digits));

function pageProblems({ file, text, number, title, status }: Page, index: string): string[] {
  const row = `| [${number}](${file}) | ${title} | ${status} |`;
  const named = `${file.slice(0, 4)}-${slugOf(title ?? '')}.md`;
  return [
    ...(text.startsWith(`# ${number}. `) ? [] : ['its first line is "# <the number of its file>. <title>".']),
    ...(title === undefined || file === named ? [] : [`its title wants the file name ${named}.`]),
    ...(status ? [] : ['a line says "Status: accepted", "Status: accepted, amended by <numbers>" or "Status: superseded by <number>".']),
    ...(/\bDate: \d{4}-\d\d-\d\d\b/.test(text) ? [] : ['it has no "Date: YYYY-MM-DD".']),
    ...(SUPERSEDES.test(text)
      ? []
      : ['it does not say "Supersedes: none", or which numbers, each with "part of" where a part is replaced.']),
    ...(index.includes(row) ? [] : [`the index (${FOLDER}/README.md) lacks the row ${row}`]),
  ];
}

const SUPERSEDES = /\bSupersedes: (none|(part of )?\d+(, (part of )?\d+)*)( ·|$)/m;

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

/** Compares what a page says about later pages with what these say about it, in both directions. */
function replacementProblems(page: Page, pages: readonly Page[]): string[] {
  const { number } = page;
  const numbersOf = (holds: (other: Page) => boolean) => pages.filter(holds).map((other) => other.number);
  return [
    ...difference(
      page.amendedBy,
      numbersOf(({ amended }) => amended.includes(number)),
      (later) => [
        `its status says "amended by ${later}", but decision ${later} does not say "Supersedes: part of ${number}".`,
        `decision ${later} supersedes a part of it, but its status does not say "amended by ${later}".`,
      ],
    ),
    ...difference(
      [page.supersededBy ?? []].flat(),
      numbersOf(({ supersedes }) => supersedes.includes(number)),
      (later) => [
        `its status says "superseded by ${later}", but decision ${later} does not say "Supersedes: ${number}".`,
        `decision ${later} supersedes it, but its status does not say "superseded by ${later}".`,
      ],
    ),
    ...[...page.amended, ...page.supersedes]
      .filter((earlier) => !pages.some((other) => other.number === earlier))
      .map((earlier) => `it supersedes decision ${earlier}, which has no page.`),
  ];
}

/** Returns a sentence for each number that only one list has: the first sentence for those of `said`, the second for the others. */
const difference = (said: readonly number[], confirmed: readonly number[], sentences: (number: number) => [string, string]): string[] => [
  ...said.filter((number) => !confirmed.includes(number)).map((number) => sentences(number)[0]),
  ...confirmed.filter((number) => !said.includes(number)).map((number) => sentences(number)[1]),
];

/** Checks that each row of the index is of a page, or of a number whose page moved to the measurements. */
function indexProblems(root: string, index: string, pages: readonly Page[]): string[] {
  const rows = [...index.matchAll(/^\| \[(\d+)\]\(([^)]+)\) \| .+ \| (.+) \|$/gm)];
  return rows.flatMap(([row, number, target, status]) => {
    if (rows.filter(([, other]) => other === number).length > 1) return [`the number ${number} has several rows.`];
    if (status !== MOVED) return pages.some(({ file }) => file === target) ? [] : [`no page has the row ${row}`];
    if (pages.some((page) => page.number === Number(number))) return [`decision ${number} has a page, so it did not move.`];
    return existsSync(join(root, FOLDER, target!)) ? [] : [`decision ${number} moved to ${target}, which does not exist.`];
  });
}
