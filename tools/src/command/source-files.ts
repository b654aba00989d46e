import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const NOT_SOURCE = new Set(['node_modules', 'dist']);

/** Paths of the files below the named folders of a root that end in one of the endings, sorted, with slashes on every system. */
export function sourceFiles(root: string, folders: readonly string[], endings: readonly string[]): string[] {
  return folders
    .flatMap((folder) => below(join(root, folder)))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .map((path) => relative(root, path).split(sep).join('/'))
    .sort();
}

function below(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return NOT_SOURCE.has(entry.name) || entry.name.startsWith('.') ? [] : below(join(dir, entry.name));
    return entry.isFile() ? [join(dir, entry.name)] : [];
  });
}
