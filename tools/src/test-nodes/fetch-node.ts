import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command } from '@codase/servers';
import pinned from '../../node.json' with { type: 'json' };

/** The release lines of Node that are supported, each with the range by which npm selects its newest version. */
export const NODE_LINES: Readonly<Record<string, string>> = { '22.22': '~22.22.0', '24': '^24.0.0', '26': '^26.0.0' };

/** The packages of npm that hold Node, by system. */
const PACKAGES: Readonly<Record<string, { name: string } | undefined>> = pinned.packages;

/** Returns the Node program of a release line, fetched from npm's registry once, or why it is not available. */
export async function fetchNode(line: string, cache: string): Promise<{ path: string } | { missing: string }> {
  const folder = join(cache, line);
  const path = join(folder, 'node');
  if (existsSync(path)) return { path };
  const system = `${process.platform}-${process.arch}`;
  const held = PACKAGES[system];
  if (!held) return { missing: `npm has no package of Node ${line} for ${system}.` };
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(cache, 'npm-'));
  try {
    const wanted = `${held.name}@${NODE_LINES[line]}`;
    const flags = ['--prefix', work, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save'];
    const { problem } = await command('npm', ['install', ...flags, wanted], { seconds: 300, cwd: work });
    if (problem) return { missing: `Node ${line} cannot be fetched: ${problem}` };
    const found = join(work, 'node_modules', held.name, 'bin/node'); // not the link to it in .bin
    if (!existsSync(found)) return { missing: `${wanted} has no program node in it.` };
    await rename(found, path); // npm has verified the download
    return { path };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
