import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@codase/command-line';
import { sectionProblems } from '../words/changelog.ts';
import { compareVersions, newestOf, notesOf, sectionsOf, UNRELEASED } from './changelog.ts';
import { releaseFiles } from './release-files.ts';
import { Repository } from './repository.ts';

interface ReleaseOptions {
  root: string;
  version: string;
  to: string;
  /** The date of the release, as in 2026-11-16. */
  today: string;
  isDryRun: boolean;
  pack: (to: string) => Promise<string[]>;
  say: (line: string) => void;
}

/** A part of a release. A part that an earlier run has done is not done again. */
interface Step {
  /** What the step does, as a sentence without its subject. */
  does: string;
  isDone: boolean;
  run: () => Promise<void> | void;
}

/** Makes a release. Every step says whether it is done already, so a release that was killed can go on. Nothing is pushed. */
export async function release(options: ReleaseOptions): Promise<void> {
  const { root, version, isDryRun, say } = options;
  const repository = new Repository(root);
  const steps = stepsOf(repository, options);
  for (const { does, isDone, run } of steps) {
    say(isDone ? `done before: ${does}` : `${isDryRun ? 'would ' : ''}${does}`);
    if (!isDone && !isDryRun) await run();
  }
  if (isDryRun) say('Nothing was written: leave out --dry-run.');
  else say(`Nothing is pushed yet: git push origin ${repository.defaultBranch()} v${version}`);
}

function stepsOf(repository: Repository, { root, version, to, today, pack, say }: ReleaseOptions): Step[] {
  const [tag, message] = [`v${version}`, `chore(release): ${version}`];
  const isTagged = repository.commitOf(tag) !== undefined;
  const isCommitted = isTagged || repository.subject() === message;
  const files = isCommitted
    ? new Map<string, string>()
    : releaseFiles(repository.files(), (path) => repository.read(path), version, dateOf(root, version) ?? today);
  if (isTagged) refuseOtherCommit(repository, tag);
  if (!isCommitted) refuseOtherBranch(repository);
  refuseChanges(repository, files);
  if (!isCommitted) refuseVersion(repository, version, message);
  const notes = () => notesOf(repository.read('CHANGELOG.md'), version);
  return [
    {
      does: `write the version ${version} to CHANGELOG.md, to every package and to the chart, and commit it as "${message}"`,
      isDone: isCommitted,
      run() {
        for (const [path, text] of files) writeFileSync(join(root, path), text);
        repository.commit([...files.keys()], message);
      },
    },
    { does: `write the tag ${tag}, with the notes as its message`, isDone: isTagged, run: () => repository.tag(tag, notes()) },
    {
      does: `write the notes and the packages to ${to}`,
      isDone: false,
      async run() {
        mkdirSync(to, { recursive: true });
        const file = join(to, `notes-${version}.md`);
        writeFileSync(file, notes());
        for (const path of [file, ...(await pack(to))]) say(`  ${path}`);
      },
    },
  ];
}

/** Returns the date that a run which was killed before its commit has written; undefined when there was none. */
function dateOf(root: string, version: string): string | undefined {
  const file = join(root, 'CHANGELOG.md');
  return existsSync(file) ? sectionsOf(readFileSync(file, 'utf8')).find((section) => section.version === version)?.date : undefined;
}

function refuseOtherCommit(repository: Repository, tag: string): void {
  if (repository.commitOf(tag) === repository.commitOf('HEAD')) return;
  throw new Fault([
    `${tag} exists already, at another commit.`,
    `For a new release, give a version above ${newestOf(repository.taggedVersions())}.`,
    `To write the notes and packages of ${tag} again: git checkout ${tag}, and run this command again.`,
  ]);
}

function refuseOtherBranch(repository: Repository): void {
  const [branch, wanted] = [repository.branch(), repository.defaultBranch()];
  if (branch !== wanted)
    throw new Fault(`A release is made on the branch ${wanted}, and this is ${branch ?? 'no branch'}: git checkout ${wanted}`);
}

/** Refuses a work tree with changes, except those that a release of this version has written itself before it was killed. */
function refuseChanges(repository: Repository, files: ReadonlyMap<string, string>): void {
  const isOurs = (path: string) =>
    existsSync(join(repository.root, path)) && readFileSync(join(repository.root, path), 'utf8') === files.get(path);
  const others = repository.changedPaths().filter((path) => !isOurs(path));
  if (others.length === 0) return;
  throw new Fault([
    'The work tree has changes that are not committed. Commit them, or remove them (git checkout -- PATH):',
    ...others.map((path) => `  ${path}`),
  ]);
}

/** Refuses a version that is not above all others, and unreleased changes that are no release. */
function refuseVersion(repository: Repository, version: string, message: string): void {
  const sections = sectionsOf(repository.read('CHANGELOG.md'));
  const begun = repository.commitWithSubject(message);
  if (begun) throw new Fault(`${version} is committed, and has no tag yet: git checkout ${begun}, and run this command again.`);
  const last = newestOf([...repository.taggedVersions(), ...sections.flatMap((section) => section.version ?? [])]);
  if (last !== undefined && compareVersions(version, last) <= 0)
    throw new Fault(`${version} is not above ${last}, the last version: give a greater one.`);
  const waiting = sections.find(({ heading }) => heading === UNRELEASED);
  if (!waiting || !/^- /m.test(waiting.body))
    throw new Fault(`CHANGELOG.md has nothing under "## ${UNRELEASED}": there is nothing to release.`);
  const problems = sectionProblems(waiting);
  if (problems.length > 0) throw new Fault(problems.map((problem) => `CHANGELOG.md: ${problem}`));
}
