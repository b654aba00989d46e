import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, sectionsOf, UNRELEASED, type ChangelogSection } from '../release/changelog.ts';

const FILE = 'CHANGELOG.md';
/** How long a section may be, with its heading: about one screen. */
const MAX_LINES = 60;
/** The heading of the list of what users have to do when they update. */
const MUST = 'You must';

/** Returns what is wrong with the changelog: its sections, their order, or one of them. */
export function changelogProblems(root: string): string[] {
  const sections = sectionsOf(readFileSync(join(root, FILE), 'utf8'));
  const versions = sections.flatMap(({ version }) => version ?? []);
  return [
    ...(sections[0]?.heading === UNRELEASED ? [] : [`${FILE}: its first section is "## ${UNRELEASED}".`]),
    ...versions
      .filter((version, i) => i > 0 && compareVersions(version, versions[i - 1]!) >= 0)
      .map((version) => `${FILE}: ${version} stands below a version that is not newer: the newest version comes first.`),
    ...sections.slice(1).flatMap(({ heading, version }) => (version ? [] : [`${FILE}: "${heading}" is not "X.Y.Z (YYYY-MM-DD)".`])),
    ...sections.flatMap(sectionProblems).map((problem) => `${FILE}: ${problem}`),
  ];
}

/** Returns what is wrong with one section: its length, and where it says what users have to do. */
export function sectionProblems({ heading, body }: ChangelogSection): string[] {
  const length = body === '' ? 1 : 2 + body.split('\n').length;
  const lists = body.split(/^### /m).slice(1);
  const must = lists.findIndex((list) => list.startsWith(`${MUST}\n`));
  const rest = must === -1 ? body : body.replace(`### ${lists[must]}`, '');
  return [
    ...(length > MAX_LINES ? [`"${heading}" has ${length} lines: say it in ${MAX_LINES}, by theme and not change by change.`] : []),
    ...(must > 0 ? [`the list "${MUST}" of "${heading}" stands behind others: it comes first.`] : []),
    ...(must >= 0 && !/^- /m.test(lists[must]!) ? [`the list "${MUST}" of "${heading}" is empty: leave it out.`] : []),
    ...rest
      .split('\n')
      .filter((line) => /\byou must\b/i.test(line))
      .map((line) => `"${heading}" says outside its first list what users have to do: move it to "### ${MUST}": ${line.trim()}`),
  ];
}
