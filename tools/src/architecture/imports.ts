import { posix } from 'node:path';
import { stringOf, type Node } from './syntax.ts';

/** One import of a file, static or dynamic, of values or of types. */
export interface Import {
  /** The module's name as written; undefined when a dynamic import computes it. */
  target: string | undefined;
  /** The names that the file imports; `everything` when the whole module is imported or exported again. */
  names: readonly string[] | 'everything';
  /** Whether the build erases the import: `import type`, `export type` and `import('x')` inside a type. */
  typeOnly: boolean;
}

export const importsOf = (all: readonly Node[]): Import[] => all.flatMap(importOf);

function importOf(node: Node): Import[] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return node.source ? [{ target: stringOf(node.source), names: namesIn(node), typeOnly: node.typeOnly === true }] : [];
    case 'TsImportType':
      return [{ target: stringOf(node.argument), names: 'everything', typeOnly: true }];
    case 'TsExternalModuleReference':
      return [{ target: stringOf(node.expression), names: 'everything', typeOnly: false }];
    case 'CallExpression':
      return isLoading(node.callee as Node)
        ? [{ target: stringOf((node.arguments as { expression: Node }[])[0]?.expression), names: 'everything', typeOnly: false }]
        : [];
    default:
      return [];
  }
}

/** Returns the names of `import { … } from` and `export { … } from`, as the imported module has them. */
function namesIn({ type, specifiers }: Node): Import['names'] {
  if (type === 'ExportAllDeclaration') return 'everything';
  const names = (specifiers as Specifier[]).map((one) => {
    if (one.type === 'ImportDefaultSpecifier') return 'default';
    return (one.imported ?? one.orig ?? one.local)?.value;
  });
  const isWhole = (specifiers as Specifier[]).some(({ type: kind }) => /Namespace/.test(kind));
  return isWhole ? 'everything' : names.flatMap((name) => name ?? []);
}

interface Specifier {
  type: string;
  imported?: { value: string } | null;
  orig?: { value: string };
  local?: { value: string };
}

/** `import(…)` and `require(…)`. */
const isLoading = (callee: Node) => callee.type === 'Import' || (callee.type === 'Identifier' && callee.value === 'require');

export interface Importing {
  file: string;
  imports: readonly Pick<Import, 'target' | 'typeOnly'>[];
}

/** The path, from the root of the repository, of a file that another file imports by a relative path; undefined for a package. */
export const importedFile = (from: string, target: string | undefined): string | undefined =>
  target?.startsWith('./') || target?.startsWith('../') ? posix.join(posix.dirname(from), target) : undefined;

export const filesImportedBy = ({ file, imports }: Importing): string[] =>
  imports.flatMap(({ target }) => importedFile(file, target) ?? []);
