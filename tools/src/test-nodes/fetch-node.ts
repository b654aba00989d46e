import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { withNpmPackage } from '../command/npm-package.ts';
import pinned from '../../node.json' with { type: 'json' };

/** The release lines of Node that are supported, each with the range by which npm selects its newest version. */
export const NODE_LINES: Readonly<Record<string, string>> = { '22.22': '~22.22.0', '24': '^24.0.0', '26': '^26.0.0' };

const PACKAGES: Readonly<Record<string, { name: string } | undefined>> = pinned.packages;

/** Returns the Node program of a release line, fetched from npm's registry once, or why it is not available. */
export async function fetchNode(line: string, cache: string): Promise<{ path: string } | { missing: string }> {
  const folder = join(cache, line);
  const path = join(folder, 'node');
  if (existsSync(path)) return { path };
  const system = `${process.platform}-${process.arch}`;
  const offered = PACKAGES[system];
  if (!offered) return { missing: `npm has no package of Node ${line} for ${system}.` };
  await mkdir(folder, { recursive: true });
  const wanted = `${offered.name}@${NODE_LINES[line]}`;
  const problem = await withNpmPackage(wanted, cache, async (installed) => {
    const found = join(installed, 'bin/node'); // not the link to it in .bin
    if (!existsSync(found)) return `${wanted} has no program node in it.`;
    await rename(found, path);
    return '';
  });
  return problem ? { missing: `Node ${line} cannot be fetched: ${problem}` } : { path };
}
