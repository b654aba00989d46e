import { busViolations } from './bus-controllers.ts';
import { cycles } from './cycles.ts';
import { undeclared } from './declared.ts';
import { entitiesGivenAway } from './entities.ts';
import { filesImportedBy, importedFile, type Import } from './imports.ts';
import { withTables, type Manifest } from './manifests.ts';
import { metricViolations } from './metrics.ts';
import { redundantInjects } from './redundant-injects.ts';
import { refusesFile } from './relative.ts';
import { allows, RULES, type Rule } from './rules.ts';
import { readSources, type Source } from './sources.ts';
import { foreignTables, ownersOf, staleReads } from './tables.ts';

/** Returns a sentence for each violation of the rules; empty when the architecture holds. */
export function violations(root: string, sources: readonly Source[] = readSources(root)): string[] {
  const manifests = manifestsOf(sources);
  return [
    ...sources.flatMap((source) => forbidden(source, manifests)),
    ...undeclared(root, sources),
    ...sources.flatMap((source) => foreignTables(source, manifests)),
    ...sources.flatMap(entitiesGivenAway),
    ...ownersOf(manifests),
    ...staleReads(sources, manifests),
    ...cyclesOfCapabilities(manifests),
    ...cyclesOfFiles(sources),
    ...busViolations(sources),
    ...metricViolations(sources),
    ...redundantInjects(sources),
    ...sources.flatMap(({ pauses }) => pauses),
  ];
}

export function manifestsOf(sources: readonly Source[]): Manifest[] {
  const entities = sources.flatMap((source) => source.entities);
  return sources.flatMap(({ manifest }) => (manifest ? withTables(manifest, entities) : []));
}

function forbidden({ file, imports }: Source, manifests: readonly Manifest[]): string[] {
  const rule = RULES.find(({ files }) => files.test(file));
  if (!rule) return [`${file}: no rule of tools/src/architecture/rules.ts covers it: add one, or move the file.`];
  return imports.flatMap((one) => {
    const why = refuses(rule, file, one, manifests);
    return why === undefined ? [] : [`${file} imports ${one.target ?? 'a computed name'}, but ${why}.`];
  });
}

function refuses(rule: Rule, file: string, { target, typeOnly }: Import, manifests: readonly Manifest[]): string | undefined {
  if (target === undefined) return rule.may === 'anything' ? undefined : 'only a written name can be checked';
  const path = importedFile(file, target);
  if (path !== undefined) return refusesFile(file, path, typeOnly, manifests);
  return allows(rule, target) ? undefined : `${rule.who}: ${rule.why}`;
}

/** Imports of types count too: two files that know each other's types are read and changed together, so they belong together. */
function cyclesOfFiles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.file, filesImportedBy(source)]));
  return cycles(graph).map((path) => `${path.join(' → ')} is a cycle: move what both need into a file of its own.`);
}

function cyclesOfCapabilities(manifests: readonly Manifest[]): string[] {
  const graph = new Map(manifests.map(({ capability, uses }) => [capability, uses]));
  return cycles(graph).map(
    (path) => `the capabilities ${path.join(' → ')} use each other in a cycle: let the lower one offer a hook to the higher one.`,
  );
}
