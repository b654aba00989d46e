import { BODY_DEPTH, BODY_VALUES, Refusal } from '@codase/contracts';
import { SaxesParser } from 'saxes';

/**
 * XML as a second notation of the same JSON values. A member is an element of its name. A list is an element whose `item` children are its
 * entries. A value that is not text says so in a `type` attribute (number, boolean, null, array, object). A caller may leave `type` out
 * when the endpoint's schema already says it. There are no DTD, entities, processing instructions or namespaces. @gap D1-4
 */
type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const ROOT = 'response';
const ITEM = 'item';
const NAME = /^[A-Za-z_][\w.-]*$/;

export function writeXml(value: unknown): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${element(ROOT, (value ?? null) as Json)}`;
}

function element(name: string, value: Json): string {
  const [tag, named] = NAME.test(name) && !/^xml/i.test(name) ? [name, ''] : ['member', ` name="${escape(name)}"`];
  if (value === null) return `<${tag}${named} type="null"/>`;
  if (typeof value === 'string') return `<${tag}${named}>${escape(value)}</${tag}>`;
  if (typeof value !== 'object') return `<${tag}${named} type="${typeof value}">${value}</${tag}>`;
  if (Array.isArray(value)) return `<${tag}${named} type="array">${value.map((item) => element(ITEM, item)).join('')}</${tag}>`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `<${tag}${named} type="object">${members.map(([member, inner]) => element(member, inner)).join('')}</${tag}>`;
}

/** Escapes a text. Control characters, which XML cannot carry, become U+FFFD: XML has no other notation for them. */
const escape = (text: string) =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are the characters XML 1.0 has no writing for
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\r\n\t]/g, (c) => ENTITIES[c]!);

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

interface Node {
  name: string;
  type: string | undefined;
  text: string;
  children: Node[];
}

/** Reads one element as a value; the schema (JSON Schema) decides when there is no `type` attribute. */
export function readXml(source: string, schema?: unknown): unknown {
  return valueOf(parse(source), schema as Schema | undefined);
}

function parse(source: string): Node {
  const parser = new SaxesParser({ xmlns: false, fragment: false });
  const path: Node[] = [];
  let root: Node | undefined;
  const refuse = (reason: string): never => {
    throw new Refusal('request.invalid').because(`body: must be XML ${reason}`);
  };
  parser.on('error', () => refuse('that is well formed'));
  parser.on('doctype', () => refuse('without a document type'));
  parser.on('processinginstruction', () => refuse('without processing instructions'));
  let parts = 0;
  const countPart = () => {
    if (++parts > BODY_VALUES) refuse(`with at most ${BODY_VALUES} elements and attributes`);
  };
  parser.on('attribute', countPart);
  parser.on('opentag', ({ name, attributes }) => {
    const node: Node = { name: attributes['name'] ?? name, type: attributes['type'], text: '', children: [] };
    countPart();
    if (path.length >= BODY_DEPTH) refuse(`that nests at most ${BODY_DEPTH} levels deep`);
    if (path.length) path.at(-1)!.children.push(node);
    else root = node;
    path.push(node);
  });
  parser.on('closetag', () => void path.pop());
  const collect = (text: string) => {
    if (path.length) path.at(-1)!.text += text;
  };
  parser.on('text', collect);
  parser.on('cdata', collect);
  parser.write(source).close();
  return root ?? refuse('with one element around everything');
}

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
}

function valueOf(node: Node, schema: Schema | undefined): Json {
  const type = node.type ?? guess(node, schema);
  switch (type) {
    case 'null':
      return null;
    case 'boolean':
      return node.text.trim() === 'true' ? true : node.text.trim() === 'false' ? false : node.text;
    case 'number':
    case 'integer':
      return node.text.trim() !== '' && Number.isFinite(Number(node.text)) ? Number(node.text) : node.text;
    case 'array':
      return node.children.map((child) => valueOf(child, schema?.items));
    case 'object':
      return members(node, schema);
    default:
      return node.text;
  }
}

function members(node: Node, schema: Schema | undefined): Json {
  const value: { [name: string]: Json } = Object.create(null);
  for (const child of node.children) {
    if (Object.hasOwn(value, child.name)) throw new Refusal('request.invalid').because(`${child.name.slice(0, 64)}: is given twice`);
    const rest = typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    value[child.name] = valueOf(child, schema?.properties?.[child.name] ?? rest);
  }
  return { ...value };
}

/** The type that the schema wants, or else the type that the element looks like. */
function guess(node: Node, schema: Schema | undefined): string {
  const wanted = [schema?.type, ...(schema?.anyOf ?? []).map(({ type }) => type)]
    .flat()
    .filter((type) => type !== undefined && type !== 'null');
  if (wanted.length === 1) return wanted[0]!;
  if (node.children.length === 0) return 'string';
  return node.children.every(({ name }) => name === ITEM) ? 'array' : 'object';
}
