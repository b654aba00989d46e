import type { EntityClass } from './entities.ts';
import { elements, keys, member, nameOf, stringOf, type Node } from './syntax.ts';

/** What a capability of the platform declares in its capability.ts, as far as the architecture is concerned. */
export interface Manifest {
  capability: string;
  uses: readonly string[];
  /** The tables it owns. In the manifest of one source these are still the names of the entities. */
  tables: readonly string[];
  reads: readonly string[];
}

const MANIFEST = /^apps\/platform\/src\/[^/]+\/([^/]+)\/capability\.ts$/;

export function manifestOf(file: string, all: readonly Node[]): Manifest | undefined {
  const capability = MANIFEST.exec(file)?.[1];
  if (capability === undefined) return undefined;
  const declared = all.find((node) => node.type === 'ObjectExpression' && member(node, 'uses'));
  const folders = importedFrom(all);
  const tables = member(declared, 'tables');
  return {
    capability,
    uses: elements(member(declared, 'uses')).map((used) => folders.get(nameOf(used)) ?? nameOf(used)),
    tables: [
      ...elements(member(tables, 'frontDoor')).map(nameOf),
      ...elements(member(tables, 'region')).map((one) => nameOf(member(one, 'entity')!)),
    ],
    reads: keys(member(declared, 'reads')),
  };
}

/** Maps each imported name to the capability that it comes from: `feed` for `../feed/index.ts` and `../../services/feed/index.ts`. */
function importedFrom(all: readonly Node[]): Map<string, string> {
  const imports = all.filter(({ type }) => type === 'ImportDeclaration');
  return new Map(
    imports.flatMap(({ specifiers, source }) => {
      const folder = /^(?:\.\.\/)+(?:[\w-]+\/)?([\w-]+)\/index\.ts$/.exec(stringOf(source) ?? '')?.[1];
      return folder === undefined ? [] : (specifiers as { local: Node }[]).map(({ local }) => [nameOf(local), folder] as const);
    }),
  );
}

export const withTables = (manifest: Manifest, entities: readonly EntityClass[]): Manifest => ({
  ...manifest,
  tables: manifest.tables.map((entity) => entities.find(({ name }) => name === entity)?.table ?? entity),
});
