import { z } from 'zod';
import { readShape, type RequestPart } from './core/read-shape.ts';
import { Refusal } from './core/refusal.ts';
import { ENDPOINTS } from './endpoints.ts';
import { EXAMPLES } from './examples.ts';
import type { Endpoint } from './core/endpoint.ts';

/** Words of zod's own messages, and of the message for a check that has no words of its own. */
const NOT_OURS =
  /Invalid |Too (big|small)|Unrecognized|, received |expected (string|number|object|array|bool)|regex|: is not valid|the form that is expected|Malformed request|ZodError|>=|<=/;

/** Values that hardly any member takes. */
const FAULTS: readonly (readonly [string, unknown])[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 0],
  ['a large number', 1e15],
  ['a number below zero', -1.5],
  ['true', true],
  ['a list', []],
  ['a list of strange things', [Symbol.iterator.toString(), 0]],
  ['an object', { strange: 1 }],
  ['an empty text', ''],
  ['a strange text', '\u0001 – strange'],
  ['a long text', 'A'.repeat(100_000)],
];

interface Part {
  part: RequestPart;
  shape: z.ZodType;
  example: Record<string, unknown>;
}

const partsOf = ({ name, query, body, consumes }: Endpoint): Part[] => [
  ...(query ? [{ part: 'query' as const, shape: query, example: EXAMPLES[name]?.query ?? {} }] : []),
  ...(body && consumes !== 'file'
    ? [
        {
          part: consumes === 'form' ? ('form' as const) : ('body' as const),
          shape: body,
          example: (EXAMPLES[name]?.body ?? {}) as Part['example'],
        },
      ]
    : []),
];

/** The paths to every member: the members of the example, and those that only its shape has. */
function* waysInto(shape: z.ZodType, example: unknown, way: readonly (string | number)[] = []): Generator<readonly (string | number)[]> {
  if (Array.isArray(example)) {
    if (example.length > 0) yield* waysInto(elementOf(shape), example[0], [...way, 0]);
    return;
  }
  if (typeof example !== 'object' || example === null) return;
  const members = shapeOf(shape);
  for (const name of new Set([...Object.keys(example), ...Object.keys(members ?? {})])) {
    yield [...way, name];
    yield* waysInto(members?.[name] ?? z.unknown(), (example as Record<string, unknown>)[name], [...way, name]);
  }
}

type Inner = { shape?: Record<string, z.ZodType>; element?: z.ZodType; innerType?: z.ZodType; in?: z.ZodType; type: string };
const defOf = (shape: z.ZodType) => shape.def as unknown as Inner;
const unwrapped = (shape: z.ZodType): z.ZodType => {
  const { innerType, in: input } = defOf(shape);
  return innerType ? unwrapped(innerType) : input ? unwrapped(input) : shape;
};
const shapeOf = (shape: z.ZodType) => defOf(unwrapped(shape)).shape;
const elementOf = (shape: z.ZodType) => defOf(unwrapped(shape)).element ?? z.unknown();

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  const next = replaced(copy[step], rest, by);
  if (next === undefined && rest.length === 0) delete copy[step];
  else copy[step] = next;
  return copy;
}

function refusalOf({ shape, part }: Part, value: unknown): Refusal | undefined {
  try {
    readShape(shape, value, part);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const cases = ENDPOINTS.flatMap((endpoint) => partsOf(endpoint).map((part) => [endpoint.name, part.part, part] as const));

describe('request validation of every endpoint @gap D1-7', () => {
  it.each(cases)("names the invalid member and uses none of zod's own messages: %s, %s", (_, __, part) => {
    const wrong: string[] = [];
    for (const way of waysInto(part.shape, part.example))
      for (const [fault, value] of FAULTS) {
        const refusal = refusalOf(part, replaced(part.example, way, value));
        if (!refusal || refusal.status === 404) continue;
        const name = String(way.findLast((step) => typeof step === 'string'));
        if (NOT_OURS.test(refusal.message) || !refusal.message.includes(name))
          wrong.push(`${way.join('.')} ${fault}: ${refusal.key} ${refusal.message}`);
      }
    expect(wrong).toEqual([]);
  });

  /**
   * Members that are compared, decoded or hashed where they are used, and never stored or looked for as they come. A value is sealed, or
   * checked by the type of its field.
   */
  const NEVER_STORED =
    /^(cursor|password|pass|plugin_id|config_token|draft_token|node|next_node|language|slug|digits)$|^(answers|step|draft)\.|(^|\.)value$/;
  it.each(cases)('rejects NUL and lone surrogates in every stored text: %s, %s @gap D1-8', (_, __, part) => {
    const taken = [...waysInto(part.shape, part.example)]
      .filter((way) => ['a\0b', 'a\ud800b'].some((text) => refusalOf(part, replaced(part.example, way, text)) === undefined))
      .map((way) => way.join('.'));
    expect(taken.filter((way) => !NEVER_STORED.test(way))).toEqual([]);
  });

  const isStrict = ({ shape, example }: Part) =>
    refusalOf({ shape, example, part: 'body' }, { ...example, stranger_to_all: 1 }) !== undefined;
  it.each(cases.filter(([, , part]) => isStrict(part)))('names an unknown member: %s, %s', (_, part, given) => {
    expect(refusalOf(given, { ...given.example, stranger_to_all: 1 })!.message).toBe(`${part}: does not take stranger_to_all`);
  });

  it('rejects unknown members everywhere but in OAuth requests', () => {
    const loose = cases.filter(([, , part]) => !isStrict(part)).map(([name]) => name);
    expect(loose.toSorted()).toEqual([
      'authorization_done',
      'authorize',
      'await_phone',
      'begin_authorization',
      'continue_sign_in',
      'issue_token',
      'poll_result',
      'revoke_token',
    ]);
  });
});
