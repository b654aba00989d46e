import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

interface PackageManifest {
  name: string;
  version: string;
  license?: string;
  dependencies?: Record<string, string>;
}

/** Packages that are installed and never loaded: swagger-ui-dist brings this one to count its installations. */
const NOT_NEEDED = new Set(['@scarf/scarf']);

export const manifestIn = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageManifest;

/** Returns the folder of each named package and of the packages that it needs, by package name, as Node finds them from the root. */
export function foldersOf(root: string, names: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (name: string, from: string): void => {
    if (found.has(name) || NOT_NEEDED.has(name)) return;
    const folder = folderOf(name, from);
    if (folder === undefined) throw new Error(`The package ${name} is not installed: npm ci`);
    found.set(name, relative(root, folder));
    for (const needed of Object.keys(manifestIn(folder).dependencies ?? {})) visit(needed, join(folder, 'package.json'));
  };
  for (const name of names) visit(name, join(root, 'package.json'));
  return found;
}

const folderOf = (name: string, from: string): string | undefined =>
  (createRequire(from).resolve.paths(name) ?? [])
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
