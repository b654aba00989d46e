import {
  availabilityOf,
  compileFlow,
  type FieldElement,
  type FieldTypes,
  type Definition,
  type Flow,
  type Kind,
  type PluginElement,
  type Question,
} from '@codase/domain/flow-language';

const KIND: Readonly<Record<Kind, string>> = {
  text: 'string',
  number: 'number',
  date: 'string',
  choice: 'string',
  multichoice: 'string[]',
  composite: 'Record<string, unknown>',
  binary: '{ _enc_file: string; _link?: 1 }',
  boolean: 'boolean',
  plugin: 'string',
  unknown: 'unknown',
};

/** Returns TypeScript types for the handlers of a flow: for each step of the company, the answers before it and the answers it gives. */
export function flowTypes({ flow_id, version }: { flow_id: string; version: number }, definition: Definition, types: FieldTypes): string {
  const flow = compileFlow(definition, types);
  const owner = new Set(definition.parties.filter(({ type }) => type === 'owner').map(({ key }) => key));
  const steps = definition.nodes.filter(({ party }) => owner.has(party)).map(({ key }) => stepType(flow, key));
  return [
    `// Written by \`npm run -s codase -- flows types ${flow_id}\` from version ${version}: write it again when a newer one is published.`,
    `export type ${typeName(flow_id)} = {`,
    ...steps.flat().map((line) => `  ${line}`),
    '};',
    '',
  ].join('\n');
}

function stepType(flow: Flow, node: string): string[] {
  const { isAvailable } = availabilityOf(flow.definition);
  const own = flow.node(node)!.elements.filter((element): element is Question => element.kind === 'field' || element.kind === 'plugin');
  const isOwn = (key: string) => own.some(({ slug }) => slug === key || key.startsWith(`${slug}.`));
  const constants = new Set(flow.definition.constants.map(({ key }) => key));
  const before = [...flow.kinds].filter(([key]) => !constants.has(key) && !isOwn(key) && isAvailable(key, node));
  const answers = before.map(([key, kind]) => `${quoted(key)}?: ${valueType(flow, key, kind)};`);
  const gives = own.map((question) => `${quoted(question.slug)}${isOptional(question) ? '?' : ''}: ${givenType(flow, question)};`);
  return [`${quoted(node)}: {`, ...members('answers', answers), ...members('gives', gives), '};'];
}

const members = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [`  ${name}: Record<string, never>;`] : [`  ${name}: {`, ...lines.map((line) => `    ${line}`), '  };'];

/** Whether a handler may leave the question out: it is not required, a default fills it, or other answers may hide it. */
const isOptional = (question: Question): boolean =>
  !question.required || question.show_if !== undefined || (question.kind === 'field' && question.default !== undefined);

/** Returns the type of a given answer. A file is given with its bytes, a plugin field by its picks and typed values. */
function givenType(flow: Flow, question: Question): string {
  if (question.kind === 'plugin') return pluginType(question);
  const kind = flow.kinds.get(question.slug)!;
  return kind === 'binary' ? FILE : valueType(flow, question.slug, kind);
}

const FILE = '{ bytes: Uint8Array | Blob | AsyncIterable<Uint8Array>; name: string; type: string }';
const PICK = 'string | { id: string; label: string }';

function pluginType({ plugin: { snapshot } }: PluginElement): string {
  const blocks = snapshot.blocks.map(({ key, kind }) => ({ isPicked: kind === 'search_select', key: quoted(key), kind }));
  const picks = blocks.filter(({ isPicked }) => isPicked).map(({ key }) => `${key}?: ${PICK}`);
  const values = blocks.filter(({ isPicked }) => !isPicked).map(({ key, kind }) => `${key}?: ${KIND[kind as Kind]} | null`);
  const lists = [picks.length > 0 && `picks: { ${picks.join('; ')} }`, values.length > 0 && `values: { ${values.join('; ')} }`];
  const given = lists.filter((list) => list !== false);
  return given.length > 0 ? `{ ${given.join('; ')} }` : 'Record<string, never>';
}

/** Returns the type of a value. The type of a choice is the union of its options. */
function valueType(flow: Flow, slug: string, kind: Kind): string {
  const field = flow.definition.nodes
    .flatMap(({ elements }) => elements)
    .find((element): element is FieldElement => element.kind === 'field' && element.slug === slug);
  const options = field?.options?.map((option) => JSON.stringify(option)).join(' | ');
  if (!options) return KIND[kind];
  return kind === 'multichoice' ? `(${options})[]` : options;
}

const quoted = (key: string): string => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));
const typeName = (flow_id: string): string => {
  const words = flow_id
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word[0]!.toUpperCase() + word.slice(1));
  return /^[A-Za-z]/.test(words.join('')) ? words.join('') : `Flow${words.join('')}`;
};
