import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, type CommandResult } from './command.ts';
import { newerMirrors, parseSourcesFile, parseSourcesList, sourceLine, type AptSource, type Mirror } from './apt-sources.ts';

interface AptDownload {
  /** The name of the package, and of the program in it unless `program` says another. */
  name: string;
  program?: string;
  /** The path to which the program is moved. */
  target: string;
  /** The mirror to download from; the machine's own sources when absent. */
  mirror?: Mirror;
}

/**
 * Takes one program out of a package of the system's archive, checked by the system's keys, without installing anything and without root:
 * apt works on lists and a cache of its own, which are deleted afterwards. Returns the problem, or an empty string.
 */
export function aptDownload(wanted: AptDownload, cacheDir: string): Promise<string> {
  return inWorkFolder(cacheDir, (work) => downloadIn(work, wanted));
}

/** A package at an address, with the hash that it must have. */
interface PinnedDownload extends Pick<AptDownload, 'name' | 'program' | 'target'> {
  url: string;
  sha256: string;
  /** The file that names the hash, for the message. */
  namedIn: string;
}

/** Takes one program out of the package at an address, when it has the hash that it must have. Uses the machine's settings for proxies. */
export function pinnedDownload(wanted: PinnedDownload, cacheDir: string): Promise<string> {
  return inWorkFolder(cacheDir, async (work) => {
    await prepare(work, false);
    return firstProblem([
      () => aptFetch(work, wanted.url),
      () => checkHash(join(work, DEB), wanted),
      () => unpack(work, wanted),
      () => takeProgram(join(work, 'unpacked'), wanted),
    ]);
  });
}

const DEB = 'pinned.deb';
const APT_FETCH = '/usr/lib/apt/apt-helper';

const aptFetch = (work: string, url: string): Promise<CommandResult> =>
  command(APT_FETCH, ['-c', join(work, 'apt.conf'), 'download-file', url, join(work, DEB)], { seconds: 120, cwd: work });

async function checkHash(path: string, { url, sha256, namedIn }: PinnedDownload): Promise<{ problem: string }> {
  const found = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  return { problem: found === sha256 ? '' : `${url} has the SHA-256 ${found}, and ${namedIn} names ${sha256}: do not use this archive` };
}

async function inWorkFolder<T>(cacheDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  await mkdir(cacheDir, { recursive: true });
  const folder = await mkdtemp(join(cacheDir, 'apt-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepare(work: string, oneMirror: boolean): Promise<void> {
  for (const folder of ['lists/partial', 'archives/partial', 'unpacked']) await mkdir(join(work, folder), { recursive: true });
  await writeFile(join(work, 'apt.conf'), aptConfig(work, oneMirror));
}

async function downloadIn(work: string, wanted: AptDownload): Promise<string> {
  const apt = (...args: string[]) => command('apt-get', ['-c', join(work, 'apt.conf'), ...args], { seconds: 120, cwd: work });
  await prepare(work, wanted.mirror !== undefined);
  if (wanted.mirror) await writeFile(join(work, 'sources.list'), sourceLine(wanted.mirror));
  return firstProblem([
    () => apt('update'),
    () => apt('download', wanted.name),
    () => unpack(work, wanted),
    () => takeProgram(join(work, 'unpacked'), wanted),
  ]);
}

async function firstProblem(steps: (() => Promise<Pick<CommandResult, 'problem'>>)[]): Promise<string> {
  for (const step of steps) {
    const { problem } = await step();
    if (problem) return problem;
  }
  return '';
}

async function unpack(work: string, { name }: Pick<AptDownload, 'name'>): Promise<Pick<CommandResult, 'problem'>> {
  const deb = (await readdir(work)).find((file) => file.endsWith('.deb'));
  if (!deb) return { problem: `apt downloaded no package ${name}` };
  return command('dpkg', ['-x', deb, 'unpacked'], { seconds: 60, cwd: work });
}

async function takeProgram(
  unpacked: string,
  { name, program = name, target }: Pick<AptDownload, 'name' | 'program' | 'target'>,
): Promise<{ problem: string }> {
  const path = (await readdir(unpacked, { recursive: true })).find((file) => file.endsWith(`bin/${program}`));
  if (!path) return { problem: `the package ${name} has no program ${program}` };
  await rename(join(unpacked, path), target);
  return { problem: '' };
}

/**
 * The settings for apt, read after the machine's own: a proxy stays in force, hooks that would touch the system do not run, and what nobody
 * has signed is refused, whatever the machine allows.
 */
function aptConfig(work: string, oneMirror: boolean): string {
  return `
Dir::State "${work}";
Dir::State::lists "${work}/lists";
Dir::Cache "${work}";
Dir::Cache::archives "${work}/archives";
${oneMirror ? `Dir::Etc::sourcelist "${work}/sources.list";\nDir::Etc::sourceparts "-";\nAPT::Update::Error-Mode "any";` : ''}
APT::Sandbox::User "root";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowDowngradeToInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`;
}

/** The suites of this machine's mirrors that may have newer packages than the machine itself. */
export async function machineMirrors(etc = '/etc'): Promise<Mirror[]> {
  const release = await readFile(join(etc, 'os-release'), 'utf8').catch(() => '');
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)`, 'm').exec(release)?.[1] ?? '';
  return newerMirrors(await machineSources(etc), { id: value('ID'), codename: value('VERSION_CODENAME') });
}

async function machineSources(etc: string): Promise<AptSource[]> {
  const parts = join(etc, 'apt/sources.list.d');
  const files = [join(etc, 'apt/sources.list'), ...(await readdir(parts).catch(() => [])).map((file) => join(parts, file))];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return files.flatMap((file, i) => (file.endsWith('.sources') ? parseSourcesFile : parseSourcesList)(texts[i] ?? ''));
}
