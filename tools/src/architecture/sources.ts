import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';
import { entitiesOf, type EntityClass } from './entities.ts';
import { exportedNames } from './exported-names.ts';
import { declaredIn, type Declared } from './declared-names.ts';
import { importsOf, type Import } from './imports.ts';
import { manifestOf, type Manifest } from './manifests.ts';
import { ownPauses } from './pauses.ts';
import { tablesOf, type TableUse } from './statements.ts';
import { nodes, parse } from './syntax.ts';
import { hasCheckedSql } from './tables.ts';

/** A source file, and what the checks need of its syntax tree. The tree itself is not kept: all trees together take a gigabyte. */
export interface Source {
  file: string;
  text: string;
  imports: readonly Import[];
  exported: readonly string[];
  declared: Declared;
  /** The tables that the file's SQL names; empty when its SQL is not checked. */
  tables: readonly TableUse[];
  pauses: readonly string[];
  /** The entities of the platform, and those that it shares with the suite. */
  entities: readonly EntityClass[];
  manifest: Manifest | undefined;
}

export const readSources = (root: string): Source[] =>
  sourceFiles(root, ['apps', 'libs', 'dev', 'examples', 'e2e', 'bench', 'tools'], ['.ts', '.js', '.mjs', '.cjs']).map((file) =>
    sourceOf(file, readFileSync(join(root, file), 'utf8')),
  );

function sourceOf(file: string, text: string): Source {
  const module = parse(text, file);
  const all = nodes(module);
  return {
    file,
    text,
    imports: importsOf(all),
    exported: exportedNames(module),
    declared: declaredIn(all),
    tables: hasCheckedSql(file) ? tablesOf(all) : [],
    pauses: ownPauses(file, all),
    entities: /^(apps\/platform|libs)\//.test(file) ? entitiesOf(all) : [],
    manifest: manifestOf(file, all),
  };
}
