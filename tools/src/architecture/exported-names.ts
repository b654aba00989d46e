import type { Declaration, ModuleItem, Pattern } from '@swc/core';
import { nodes, type Node } from './syntax.ts';

/** Returns the names that a module exports. `export *` adds none: the module that it names is read on its own. */
export const exportedNames = (module: Node): string[] => (module['body'] as ModuleItem[]).flatMap(namesOf);

function namesOf(item: ModuleItem): string[] {
  switch (item.type) {
    case 'ExportDeclaration':
      return declared(item.declaration);
    case 'ExportNamedDeclaration':
      return item.specifiers.flatMap((one) => (one.type === 'ExportSpecifier' ? [(one.exported ?? one.orig).value] : []));
    default:
      return [];
  }
}

function declared(declaration: Declaration): string[] {
  switch (declaration.type) {
    case 'VariableDeclaration':
      return declaration.declarations.flatMap(({ id }) => bound(id));
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return [declaration.identifier.value];
    default:
      return 'value' in declaration.id ? [declaration.id.value] : [];
  }
}

/** `export const { a, b: [c] } = …` exports a and c. The parser gives this member to identifiers that are bound here, and to no others. */
function bound(pattern: Pattern): string[] {
  if (pattern.type === 'Identifier') return [pattern.value];
  return nodes({ ...pattern, typeAnnotation: undefined }).flatMap((node) => {
    if (node.type === 'AssignmentPatternProperty') return [(node['key'] as { value: string }).value];
    return node.type === 'Identifier' && 'typeAnnotation' in node ? [node['value'] as string] : [];
  });
}
