import { parseSync } from '@swc/core';

/** One import of a file, static or dynamic, of values or of types. */
export interface Import {
  /** As written; undefined when a dynamic import computes it. */
  target: string | undefined;
  /** Erased by the build: `import type`, `export type` and `import('x')` inside a type. */
  typeOnly: boolean;
}

/** Every import of a source, read by the parser that also builds it. */
export function importsOf(source: string, file: string): Import[] {
  const typescript = /\.[cm]?ts$/.test(file);
  const module = parseSync(source, typescript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' });
  return [...nodes(module)].flatMap(importOf);
}

interface Node {
  type: string;
  [member: string]: unknown;
}

function importOf(node: Node): Import[] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      return node.source ? [{ target: literal(node.source), typeOnly: node.typeOnly === true }] : [];
    case 'TsImportType':
      return [{ target: literal(node.argument), typeOnly: true }];
    case 'TsExternalModuleReference':
      return [{ target: literal(node.expression), typeOnly: false }];
    case 'CallExpression':
      return isLoading(node.callee as Node)
        ? [{ target: literal((node.arguments as { expression: Node }[])[0]?.expression), typeOnly: false }]
        : [];
    default:
      return [];
  }
}

/** `import(…)` and `require(…)`. */
const isLoading = (callee: Node) => callee.type === 'Import' || (callee.type === 'Identifier' && callee.value === 'require');

const literal = (node: unknown) => ((node as Node | undefined)?.type === 'StringLiteral' ? (node as { value: string }).value : undefined);

function* nodes(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const member of Object.values(value)) yield* nodes(member);
}
