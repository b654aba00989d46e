import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';
import { busViolations } from './bus-controllers.ts';
import { cycles } from './cycles.ts';
import { undeclared } from './declared.ts';
import { importsOf, type Import } from './imports.ts';
import { manifestOf, type Manifest } from './manifests.ts';
import { metricViolations } from './metrics.ts';
import { ownPauses } from './pauses.ts';
import { refusesFile } from './relative.ts';
import { allows, RULES, type Rule } from './rules.ts';
import { parse, type Node } from './syntax.ts';
import { foreignTables, ownersOf, staleReads } from './tables.ts';

interface Source {
  file: string;
  text: string;
  module: Node;
  imports: Import[];
}

/** Everything that the rules do not allow, each as a sentence; empty when the architecture holds. */
export function violations(root: string): string[] {
  const sources = read(root);
  const manifests = manifestsOf(sources);
  return [
    ...sources.flatMap((source) => forbidden(source, manifests)),
    ...undeclared(root, sources),
    ...sources.flatMap(({ file, module }) => foreignTables(file, module, manifests)),
    ...ownersOf(manifests),
    ...staleReads(sources, manifests),
    ...cyclesOfCapabilities(manifests),
    ...cyclesOfFiles(sources),
    ...busViolations(sources),
    ...metricViolations(sources),
    ...sources.flatMap(({ file, module }) => ownPauses(file, module)),
  ];
}

/** The manifests of the platform's capabilities. */
export const readManifests = (root: string): Manifest[] => manifestsOf(read(root));

const manifestsOf = (sources: readonly Source[]) => sources.flatMap(({ file, module }) => manifestOf(file, module) ?? []);

/** Reads every source file of the repository. */
function read(root: string): Source[] {
  const files = sourceFiles(root, ['apps', 'libs', 'examples', 'e2e', 'bench', 'tools'], ['.ts', '.js', '.mjs', '.cjs']);
  return files.map((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const module = parse(text, file);
    return { file, text, module, imports: importsOf(module) };
  });
}

function forbidden({ file, imports }: Source, manifests: readonly Manifest[]): string[] {
  const rule = RULES.find(({ files }) => files.test(file));
  if (!rule) return [`${file}: no rule of tools/src/architecture/rules.ts covers it: add one, or move the file.`];
  return imports.flatMap((one) => {
    const why = refuses(rule, file, one, manifests);
    return why === undefined ? [] : [`${file} imports ${one.target ?? 'a computed name'}, but ${why}.`];
  });
}

/** Why a file may not have an import, or undefined when it may. */
function refuses(rule: Rule, file: string, { target, typeOnly }: Import, manifests: readonly Manifest[]): string | undefined {
  if (target === undefined) return rule.may === 'anything' ? undefined : 'only a written name can be checked';
  if (isFile(target)) return refusesFile(file, resolved(file, target), typeOnly, manifests);
  return allows(rule, target) ? undefined : `${rule.who}: ${rule.why}`;
}

/** Types count too: two files that know each other's types are read and changed together, and belong together. */
function cyclesOfFiles(sources: readonly Source[]): string[] {
  const files = ({ file, imports }: Source) => imports.flatMap(({ target }) => (target && isFile(target) ? [resolved(file, target)] : []));
  const graph = new Map(sources.map((source) => [source.file, files(source)]));
  return cycles(graph).map((path) => `${path.join(' → ')} is a cycle: move what both need into a file of its own.`);
}

function cyclesOfCapabilities(manifests: readonly Manifest[]): string[] {
  const graph = new Map(manifests.map(({ capability, uses }) => [capability, uses]));
  return cycles(graph).map(
    (path) => `the capabilities ${path.join(' → ')} use each other in a cycle: let the lower one offer a hook to the higher one.`,
  );
}

const isFile = (target: string) => target.startsWith('./') || target.startsWith('../');
const resolved = (file: string, target: string) => posix.join(posix.dirname(file), target);
