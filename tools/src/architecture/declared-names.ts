import { stringOf, type Node } from './syntax.ts';

/** A name that a source gives to something of its own, or a text that people read in a log or a refusal. */
export interface Declared {
  /** Names of variables, parameters, functions, classes and types, and the names under which a module exports. */
  names: readonly string[];
  /** Names of members: of classes, interfaces and literals of objects. */
  members: readonly string[];
  classes: readonly string[];
  messages: readonly string[];
}

/** Returns what a module declares, from all nodes of its syntax tree. Names of libraries that it only calls are not among them. */
export const declaredIn = (all: readonly Node[]): Declared => ({
  names: unique(all.flatMap(namesOf)),
  members: unique(all.flatMap(memberOf)),
  classes: all.flatMap(classIn),
  messages: unique(all.flatMap(messagesOf)),
});

const unique = (texts: readonly string[]) => [...new Set(texts)];

function namesOf(node: Node): string[] {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'ClassDeclaration':
      return nameIn(node['identifier']);
    case 'TsInterfaceDeclaration':
    case 'TsTypeAliasDeclaration':
    case 'TsEnumDeclaration':
      return nameIn(node['id']);
    case 'ExportSpecifier':
      return nameIn(node['exported'] ?? node['orig']);
    case 'AssignmentPatternProperty':
      return nameIn(node['key']);
    case 'Identifier':
      // The parser gives this member to identifiers that are bound here, and to no others.
      return 'typeAnnotation' in node ? nameIn(node) : [];
    default:
      return [];
  }
}

const MEMBERS: ReadonlySet<string> = new Set([
  'ClassMethod',
  'ClassProperty',
  'GetterProperty',
  'KeyValueProperty',
  'MethodProperty',
  'PrivateMethod',
  'PrivateProperty',
  'SetterProperty',
  'TsMethodSignature',
  'TsPropertySignature',
]);

function memberOf(node: Node): string[] {
  return MEMBERS.has(node.type) ? nameIn(node['key']) : [];
}

function classIn({ type, declaration }: Node): string[] {
  const { type: kind, identifier } = (declaration ?? {}) as Node;
  return type === 'ExportDeclaration' && kind === 'ClassDeclaration' ? nameIn(identifier) : [];
}

/** The name in an identifier. Other keys, such as texts, are data. */
function nameIn(node: unknown): string[] {
  const { type, value } = (node ?? {}) as { type?: string; value?: unknown };
  return (type === 'Identifier' || type === 'PrivateName') && typeof value === 'string' ? [value] : [];
}

const LOGS: ReadonlySet<string> = new Set(['debug', 'info', 'warn', 'error', 'fatal', 'because']);

/** `log.warn('…')`, `this.log.error('…')`, `new Refusal(…).because('…')` and `new Error('…')`. */
function messagesOf(node: Node): string[] {
  if (node.type !== 'NewExpression' && !isLogCall(node)) return [];
  const [first] = (node['arguments'] ?? []) as readonly { expression: Node }[];
  return first ? textOf(first.expression) : [];
}

function isLogCall({ type, callee }: Node): boolean {
  if (type !== 'CallExpression') return false;
  const { type: of, property } = callee as Node;
  return of === 'MemberExpression' && nameIn(property).some((name) => LOGS.has(name));
}

const textOf = (node: Node): string[] =>
  node.type === 'TemplateLiteral'
    ? [(node['quasis'] as readonly { cooked: string }[]).map(({ cooked }) => cooked).join(' … ')]
    : [stringOf(node) ?? ''].filter((text) => text !== '');
