import { parseSync } from '@swc/core';

/** A node of the syntax tree; the parser's own types have a hundred kinds, of which we look at few. */
export interface Node {
  type: string;
  [member: string]: unknown;
}

/** A source, read by the parser that also builds it. */
export function parse(source: string, file: string): Node {
  const typescript = /\.[cm]?ts$/.test(file);
  return parseSync(source, typescript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' }) as unknown as Node;
}

/** A node and everything in it, in the order of the source. */
export function nodes(value: unknown): Node[] {
  const found: Node[] = [];
  collect(value, found);
  return found;
}

/** Half of all objects are spans, which say where a node stands and hold none. */
function collect(value: unknown, found: Node[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as Node).type === 'string') found.push(value as Node);
  if (Array.isArray(value)) for (const inside of value) collect(inside, found);
  else for (const member in value) if (member !== 'span') collect((value as Node)[member], found);
}

/** What a string literal says; undefined for any other node. */
export const stringOf = (node: unknown): string | undefined =>
  (node as Node | undefined)?.type === 'StringLiteral' ? (node as unknown as { value: string }).value : undefined;
