import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'docs/measurements';
/** What a section with figures has to say, so that a reader can judge the figures and print them again. */
const FACTS = [/^- Date: \d{4}-\d\d-\d\d$/, /^- Machine: \S/, /^- Command: \S/];
const NAMES = ['Date: YYYY-MM-DD', 'Machine', 'Command'];

/** Returns what is wrong with the pages of measurements: a section without date, machine and command, or a page that the index lacks. */
export function measurementProblems(root: string): string[] {
  if (!existsSync(join(root, FOLDER))) return [];
  const read = (file: string) => readFileSync(join(root, FOLDER, file), 'utf8');
  const index = read('README.md');
  const pages = readdirSync(join(root, FOLDER)).filter((file) => file.endsWith('.md') && file !== 'README.md');
  return pages
    .toSorted()
    .flatMap((file) => [
      ...(index.includes(`](${file})`) ? [] : [`${FOLDER}/README.md does not list ${file}.`]),
      ...sectionsOf(read(file)).flatMap((section) => sectionProblems(section).map((problem) => `${FOLDER}/${file}: ${problem}`)),
    ]);
}

/** Returns the sections of a page that have figures: those with a heading of the second level, or the whole page when it has none. */
const sectionsOf = (text: string): string[] => {
  const sections = text.split(/^(?=## )/m);
  return sections.length > 1 ? sections.slice(1) : sections;
};

function sectionProblems(section: string): string[] {
  const [heading, ...lines] = section.split('\n');
  return FACTS.flatMap((fact, i) =>
    lines.some((line) => fact.test(line)) ? [] : [`"${heading!.replace(/^#+ /, '')}" has no line "- ${NAMES[i]}".`],
  );
}
