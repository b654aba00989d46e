/** What the section is called in which changes wait for the next release. */
export const UNRELEASED = 'Unreleased';

/** A section of the changelog: a version, or what waits for the next one. */
export interface ChangelogSection {
  /** The text of its heading, without the number signs. */
  heading: string;
  /** Undefined unless the heading is a version with its date, as in "0.3.0 (2026-11-16)". */
  version: string | undefined;
  date: string | undefined;
  /** What follows the heading, without empty lines at its ends. */
  body: string;
}

/** Splits a changelog into its sections, in the order of the file. */
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
