/** What the section is called in which changes wait for the next release. */
export const UNRELEASED = 'Unreleased';

/** A section of the changelog: a version, or what waits for the next one. */
export interface ChangelogSection {
  heading: string;
  /** Undefined unless the heading is a version with its date, as in "0.3.0 (2026-11-16)". */
  version: string | undefined;
  date: string | undefined;
  /** What follows the heading, without empty lines at its ends. */
  body: string;
}

export const sectionsOf = (changelog: string): ChangelogSection[] => changelog.split(/^## /m).slice(1).map(readSection);

function readSection(text: string): ChangelogSection {
  const [heading, ...lines] = text.split('\n');
  const [, version, date] = /^(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$/.exec(heading!) ?? [];
  return { heading: heading!, version, date, body: lines.join('\n').trim() };
}

/** Returns the changelog in which the unreleased changes are those of a version, and nothing waits any more. */
export const withVersion = (changelog: string, version: string, date: string): string =>
  changelog.replace(new RegExp(`^## ${UNRELEASED}\n`, 'm'), () => `## ${UNRELEASED}\n\n## ${version} (${date})\n`);

/** Returns the notes of a version: what the changelog says of it. */
export function notesOf(changelog: string, version: string): string {
  const { heading, body } = sectionsOf(changelog).find((section) => section.version === version)!;
  return `# ${heading}\n\n${body}\n`;
}

/** Whether a text is a version of three numbers, as in 0.3.0. */
export const isVersion = (text: string): boolean => /^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(text);

/** Orders versions: the older one comes first. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const i = a.findIndex((number, position) => number !== b[position]);
  return i === -1 ? 0 : a[i]! - b[i]!;
}

export const newestOf = (versions: readonly string[]): string | undefined => versions.toSorted(compareVersions).at(-1);
