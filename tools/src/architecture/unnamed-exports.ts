import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';
import { importedFile, type Import } from './imports.ts';
import { NAMED_FROM_OUTSIDE } from './rules.ts';

interface Exporting {
  file: string;
  exported: readonly string[];
  imports: readonly Import[];
}

const isFree = (file: string) => !file.endsWith('.ts') || NAMED_FROM_OUTSIDE.some(({ files }) => files.test(file));

/** Returns a sentence for each export that no other file names. Entry points of packages are left out: others may name what they export. */
export function unnamedExports(sources: readonly Exporting[], entryPoints: ReadonlySet<string>): string[] {
  const named = namedByOthers(sources);
  return sources
    .filter(({ file }) => !isFree(file) && !entryPoints.has(file))
    .flatMap(({ file, exported }) => {
      const names = named.get(file);
      if (names === 'everything') return [];
      return [...new Set(exported)]
        .filter((name) => !names?.has(name))
        .map((name) => `${file} exports ${name}, which no other file names: remove the export, or all of it.`);
    });
}

function namedByOthers(sources: readonly Exporting[]): Map<string, Set<string> | 'everything'> {
  const named = new Map<string, Set<string> | 'everything'>();
  for (const { file, imports } of sources)
    for (const { target, names } of imports) {
      const path = sourceOf(importedFile(file, target));
      if (path === undefined) continue;
      const known = named.get(path) ?? new Set();
      if (known === 'everything' || names === 'everything') named.set(path, 'everything');
      else named.set(path, new Set([...known, ...names]));
    }
  return named;
}

/** Scripts that are not built import the built files. */
const sourceOf = (path: string | undefined) => path?.replace(/\/dist\/(.*)\.js$/, '/src/$1.ts');

/** Returns the files that the `exports` of packages name. */
export function entryPointsOf(root: string): Set<string> {
  const packages = sourceFiles(root, ['apps', 'libs', 'dev', 'examples', 'e2e', 'bench', 'tools'], ['package.json']);
  return new Set(
    packages.flatMap((file) => {
      const { exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { exports?: unknown };
      return filesIn(exports).map((path) => posix.join(posix.dirname(file), path));
    }),
  );
}

/** Conditions of `exports` are nested: every text in them is a file. */
function filesIn(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports];
  return typeof exports === 'object' && exports !== null ? Object.values(exports).flatMap(filesIn) : [];
}
