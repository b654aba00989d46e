import { OWN_PAUSES } from './rules.ts';
import { nodes, stringOf, type Node } from './syntax.ts';

const CHECKED = /^(apps\/[^/]+|libs\/(actors|client|command-line|runtime|servers|stack))\/src\//;
const LOOPS = new Set(['ForStatement', 'ForOfStatement', 'ForInStatement', 'WhileStatement', 'DoWhileStatement']);

/** Returns a sentence for each loop that waits, pause that doubles, or interval: the kit for resilience has a bound and counts. */
export function ownPauses(file: string, all: readonly Node[]): string[] {
  if (!CHECKED.test(file) || /\.(spec|check)\.ts$/.test(file) || OWN_PAUSES.some(({ files }) => files.test(file))) return [];
  const found = [
    ...(waitsInLoop(all) ? ['waits for a timer in a loop of its own'] : []),
    ...(all.some(isDoubling) ? ['doubles something again and again'] : []),
    ...(all.some((node) => calls(node, 'setInterval')) ? ['sets an interval'] : []),
  ];
  return found.map((what) => `${file} ${what}, but retry, repeat and poll of @codase/runtime/resilience do that.`);
}

function waitsInLoop(all: readonly Node[]): boolean {
  const timers = all.flatMap(timersOf);
  if (timers.length === 0) return false;
  const loops = all.filter(({ type }) => LOOPS.has(type));
  return loops.some((loop) => nodes(loop).some((node) => timers.some((timer) => calls(node, timer))));
}

/** Returns the local names of the functions that are imported from `node:timers/promises`. */
function timersOf({ type, source, specifiers }: Node): string[] {
  if (type !== 'ImportDeclaration' || stringOf(source) !== 'node:timers/promises') return [];
  return (specifiers as Node[]).map(({ local }) => (local as Node)['value'] as string);
}

const calls = ({ type, callee }: Node, name: string): boolean =>
  type === 'CallExpression' && (callee as Node).type === 'Identifier' && (callee as Node)['value'] === name;

/** Whether the node is a power of two with a computed exponent: `2 ** failures`, but not `1024 ** 3`. */
const isDoubling = ({ type, operator, left, right }: Node): boolean =>
  type === 'BinaryExpression' && operator === '**' && isNumber(left, 2) && !isNumber(right);

const isNumber = (node: unknown, value?: number): boolean => {
  const { type, ...literal } = node as Node;
  return type === 'NumericLiteral' && (value === undefined || literal['value'] === value);
};
