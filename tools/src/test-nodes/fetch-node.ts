import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '@codase/servers';

/** The release lines of Node that are supported, each with the range by which npm selects its newest version. */
export const NODE_LINES: Readonly<Record<string, string>> = { '20.19': '~20.19.0', '22': '^22.0.0', '24': '^24.0.0' };

/** The package of npm that holds Node for a system. */
export const nodePackage = (platform: string, arch: string): string => `node-${platform === 'win32' ? 'win' : platform}-${arch}`;

/**
 * Returns the Node program of a release line, fetched from npm's registry once and kept in the cache folder, or why it is not available.
 */
export async function fetchNode(line: string, cache: string): Promise<{ path: string } | { missing: string }> {
  const [folder, program] = [join(cache, line), process.platform === 'win32' ? 'node.exe' : 'node'];
  const path = join(folder, program);
  if (existsSync(path)) return { path };
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(cache, 'npm-'));
  try {
    const wanted = `${nodePackage(process.platform, process.arch)}@${NODE_LINES[line]}`;
    const flags = ['--prefix', work, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    const { problem } = await command('npm', ['install', ...flags, wanted], { seconds: 300, cwd: work });
    if (problem) return { missing: `Node ${line} cannot be fetched: ${problem}` };
    const files = await readdir(join(work, 'node_modules'), { recursive: true });
    const found = files.find((file) => file.endsWith(`bin/${program}`));
    if (!found) return { missing: `${wanted} has no program ${program} in it.` };
    await rename(join(work, 'node_modules', found), path); // npm has verified the download
    return { path };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
