import type { Declaration, ModuleItem, Pattern } from '@swc/core';
import type { Node } from './syntax.ts';

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

/** `export const { a, b: [c] } = …` exports a and c. */
function bound(pattern: Pattern): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.value];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        property.type === 'AssignmentPatternProperty'
          ? [property.key.value]
          : bound(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? bound(element) : []));
    case 'AssignmentPattern':
      return bound(pattern.left);
    case 'RestElement':
      return bound(pattern.argument);
    default:
      return [];
  }
}
