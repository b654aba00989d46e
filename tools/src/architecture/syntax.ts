import { parseSync } from '@swc/core';

/** A node of the syntax tree. The parser's own types have a hundred kinds, of which the checks use few. */
export interface Node {
  type: string;
  [member: string]: unknown;
}

/** Parses a source with the parser that also builds it. */
export function parse(source: string, file: string): Node {
  const typescript = /\.[cm]?ts$/.test(file);
  return parseSync(source, typescript ? { syntax: 'typescript', decorators: true } : { syntax: 'ecmascript' }) as unknown as Node;
}

export function nodes(value: unknown): Node[] {
  const found: Node[] = [];
  collect(value, found);
  return found;
}

/** Skips spans, which are half of all objects: a span says where a node stands and contains no node. */
function collect(value: unknown, found: Node[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as Node).type === 'string') found.push(value as Node);
  if (Array.isArray(value)) for (const inside of value) collect(inside, found);
  else for (const member in value) if (member !== 'span') collect((value as Node)[member], found);
}

const properties = (object: Node | undefined) =>
  ((object?.properties ?? []) as { type: string; key: Node; value: Node }[]).filter(({ type }) => type === 'KeyValueProperty');
export const member = (object: Node | undefined, name: string): Node | undefined =>
  properties(object).find(({ key }) => nameOf(key) === name)?.value;
export const keys = (object: Node | undefined): string[] => properties(object).map(({ key }) => nameOf(key));
export const elements = (array: Node | undefined): Node[] =>
  ((array?.elements ?? []) as { expression: Node }[]).map(({ expression }) => expression);
export const nameOf = ({ value }: Node): string => String(value);

export const stringOf = (node: unknown): string | undefined =>
  (node as Node | undefined)?.type === 'StringLiteral' ? (node as unknown as { value: string }).value : undefined;
