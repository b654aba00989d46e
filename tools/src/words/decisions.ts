import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'docs/decisions';

/**
 * Returns what is wrong with the decision records: a page without status, date or what it supersedes, or an index that differs from a page.
 */
export function decisionProblems(root: string): string[] {
  const read = (file: string) => readFileSync(join(root, FOLDER, file), 'utf8');
  const pages = readdirSync(join(root, FOLDER)).filter((file) => /^\d{4}-.*\.md$/.test(file));
  const index = read('README.md');
  return pages.sort().flatMap((file) => pageProblems(file, read(file), index).map((problem) => `${FOLDER}/${file}: ${problem}`));
}

function pageProblems(file: string, text: string, index: string): string[] {
  const title = /^# (\d+)\. (.+)$/m.exec(text);
  const status = /^Status: (accepted|superseded by \d+)(?: ·|$)/m.exec(text)?.[1];
  const row = `| [${title?.[1]}](${file}) | ${title?.[2]} | ${status} |`;
  return [
    ...(title && Number(title[1]) === Number(file.slice(0, 4)) ? [] : ['its first line is "# <the number of its file>. <title>".']),
    ...(status ? [] : ['a line says "Status: accepted" or "Status: superseded by <number>".']),
    ...(/\bDate: \d{4}-\d\d-\d\d\b/.test(text) ? [] : ['it has no "Date: YYYY-MM-DD".']),
    ...(/\bSupersedes: \S/.test(text) ? [] : ['it does not say "Supersedes: none" or which decision.']),
    ...(index.includes(row) ? [] : [`the index (${FOLDER}/README.md) lacks the row ${row}`]),
  ];
}
