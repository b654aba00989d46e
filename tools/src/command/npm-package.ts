import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '@codase/servers';

const FLAGS = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-save'];

/** Installs a package of npm, which verifies it, in a folder that is removed afterwards. Returns the problem, or an empty string. */
export async function withNpmPackage(wanted: string, cache: string, take: (folder: string) => Promise<string>): Promise<string> {
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'npm-'));
  try {
    const { problem } = await command('npm', ['install', '--prefix', work, ...FLAGS, wanted], { seconds: 300, cwd: work });
    return problem || (await take(join(work, 'node_modules', wanted.slice(0, wanted.lastIndexOf('@')))));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
