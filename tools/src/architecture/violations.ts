import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';
import { cycles } from './cycles.ts';
import { undeclared } from './declared.ts';
import { importsOf, type Import } from './imports.ts';
import { refusesFile } from './relative.ts';
import { allows, RULES, type Rule } from './rules.ts';

interface Source {
  file: string;
  imports: Import[];
}

/** Every import that the table does not allow or no package.json declares, and every cycle, each as a sentence; empty when the architecture holds. */
export function violations(root: string): string[] {
  const sources = read(root);
  return [...sources.flatMap(forbidden), ...undeclared(root, sources), ...circles(sources)];
}

/** Reads the imports of every source file of the repository. */
function read(root: string): Source[] {
  const files = sourceFiles(root, ['apps', 'libs', 'examples', 'e2e', 'bench', 'tools'], ['.ts', '.js', '.mjs', '.cjs']);
  return files.map((file) => ({ file, imports: importsOf(readFileSync(join(root, file), 'utf8'), file) }));
}

function forbidden({ file, imports }: Source): string[] {
  const rule = RULES.find(({ files }) => files.test(file));
  if (!rule) return [`${file}: no rule of tools/src/architecture/rules.ts covers it: add one, or move the file.`];
  return imports.flatMap((one) => {
    const why = refuses(rule, file, one);
    return why === undefined ? [] : [`${file} imports ${one.target ?? 'a computed name'}, but ${why}.`];
  });
}

/** Why a file may not have an import, or undefined when it may. */
function refuses(rule: Rule, file: string, { target, typeOnly }: Import): string | undefined {
  if (target === undefined) return rule.may === 'anything' ? undefined : 'only a written name can be checked';
  if (isFile(target)) return refusesFile(file, resolved(file, target), typeOnly);
  return allows(rule, target) ? undefined : `${rule.who}: ${rule.why}`;
}

/** Cycles of values; types are erased, so two files may know each other's. */
function circles(sources: Source[]): string[] {
  const values = ({ file, imports }: Source) =>
    imports.filter(({ typeOnly }) => !typeOnly).flatMap(({ target }) => (target && isFile(target) ? [resolved(file, target)] : []));
  const graph = new Map(sources.map((source) => [source.file, values(source)]));
  return cycles(graph).map((path) => `${path.join(' → ')} is a circle: move what both need into a file of its own.`);
}

const isFile = (target: string) => target.startsWith('./') || target.startsWith('../');
const resolved = (file: string, target: string) => posix.join(posix.dirname(file), target);
