import {
  ANYWHERE,
  capabilitiesFor,
  CONTENT_SHA256_HEADER,
  ERRORS,
  EXAMPLES,
  NAMED_SHAPES,
  PARAMETER_SAMPLES,
  RawFile,
  statusesOf,
  type Endpoint,
  type ErrorKey,
} from '@cds/contracts';
import { z } from 'zod';

type Schema = Record<string, unknown>;

/** What the document says of itself. */
export interface DocumentInfo {
  title: string;
  version: string;
  servers: readonly string[];
}

/** The OpenAPI 3.1 document of a set of contracts. */
export function openapi(contracts: readonly Endpoint[], { title, version, servers }: DocumentInfo) {
  const shapes = new Shapes();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of contracts) (paths[contract.path] ??= {})[contract.method.toLowerCase()] = describeOperation(contract, shapes);
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: servers.map((url) => ({ url })),
    tags: [...new Set(contracts.flatMap(({ tag }) => tag ?? []))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Refusal: REFUSAL, ...shapes.named },
    },
  };
}

/** Shapes as JSON Schema. Those with a name are gathered in one place and referred to from everywhere else. */
class Shapes {
  readonly named: Record<string, Schema> = {};

  schemaOf(shape: z.ZodType, io: 'input' | 'output'): Schema {
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ shape }), { io, unrepresentable: 'any', metadata: NAMED_SHAPES });
    for (const [name, schema] of Object.entries($defs)) this.keep(name, inComponents(schema as Schema));
    return inComponents(properties!['shape'] as Schema);
  }

  private keep(name: string, schema: Schema): void {
    const known = (this.named[name] ??= schema);
    const isSame = JSON.stringify(known) === JSON.stringify(schema);
    if (!isSame) throw new Error(`The shape ${name} is sent in one form and answered in another: give each its own name`);
  }
}

/** A schema of its own refers to its `$defs`; inside the document they are components. */
const inComponents = (schema: Schema) => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;

function describeOperation(contract: Endpoint, shapes: Shapes) {
  const { name, path, callers, params, query, body } = contract;
  return {
    operationId: name,
    summary: contract.summary,
    ...(contract.description && { description: contract.description }),
    ...(contract.tag && { tags: [contract.tag] }),
    'x-spec': contract.spec,
    'x-served-at': contract.at,
    'x-callers': callers,
    ...(callers.includes('account') && { 'x-capabilities': capabilitiesFor(path) }),
    ...(!callers.includes('anyone') && { security: [{ bearer: [] }] }),
    parameters: [
      ...parameters('path', params, PARAMETER_SAMPLES, shapes),
      ...parameters('query', query, EXAMPLES[name]?.query ?? {}, shapes),
    ],
    ...(body && { requestBody: { required: true, content: describeRequest(contract, shapes.schemaOf(body, 'input')) } }),
    responses: { [contract.status]: describeAnswer(contract, shapes), ...refusals(contract.refusals), default: ANY_ROUTE },
  };
}

const parameters = (where: 'path' | 'query', shape: z.ZodObject | undefined, samples: Readonly<Record<string, unknown>>, shapes: Shapes) =>
  Object.entries(shape?.shape ?? {}).map(([name, member]) => ({
    in: where,
    name,
    required: where === 'path' || !(member as z.ZodType).safeParse(undefined).success,
    ...((member as z.ZodType).description && { description: (member as z.ZodType).description }),
    schema: shapes.schemaOf(member as z.ZodType, 'input'),
    ...exampleOf(samples[name]),
  }));

const exampleOf = (example: unknown) => (example === undefined ? {} : { example });

/** Both formats have one schema; the example is written as JSON. */
const structured = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...exampleOf(example) },
  'application/xml': { schema },
});

function describeRequest({ name, consumes }: Endpoint, schema: Schema) {
  const example = EXAMPLES[name]?.body;
  return consumes === 'form' ? { 'application/x-www-form-urlencoded': { schema, ...exampleOf(example) } } : structured(schema, example);
}

function describeAnswer({ name, summary, result, produces }: Endpoint, shapes: Shapes) {
  if (produces === 'redirect') return { description: summary, headers: LOCATION };
  if (produces === 'page') return { description: summary, content: { 'text/html': { schema: { type: 'string' } } } };
  if (result.safeParse(undefined).success) return { description: summary };
  const { structure, isBytes } = partsOf(result);
  const content = {
    ...(structure && structured(shapes.schemaOf(structure, 'output'), EXAMPLES[name]?.result)),
    ...(isBytes && { '*/*': { schema: { type: 'string', format: 'binary' } } }),
  };
  return { description: summary, content, ...(produces === 'bytes' && { headers: DIGEST }) };
}

/** What of an answer is structured, and whether it may be bytes instead. */
function partsOf(result: z.ZodType): { structure?: z.ZodType; isBytes: boolean } {
  const options = result instanceof z.ZodUnion ? (result.options as z.ZodType[]) : [result];
  if (!options.includes(RawFile)) return { structure: result, isBytes: false };
  const structures = options.filter((option) => option !== RawFile);
  return { ...(structures.length && { structure: z.union(structures) }), isBytes: true };
}

const LOCATION = { Location: { required: true, schema: { type: 'string', format: 'uri' } } };
const DIGEST = {
  [CONTENT_SHA256_HEADER]: {
    description: 'Lowercase hex SHA-256 over exactly the bytes served',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
};

const REFUSAL = {
  type: 'object',
  required: ['error', 'error_key'],
  properties: {
    error: { type: 'string' },
    error_key: { type: 'string', enum: Object.keys(ERRORS) },
    error_description: { type: 'string' },
  },
};

const refusal = (keys: readonly ErrorKey[], said = '') => ({
  description: said + keys.map((key) => `\`${key}\``).join(', '),
  content: structured({ $ref: '#/components/schemas/Refusal' }),
});

/** One response per status, which lists the keys it may carry. */
function refusals(keys: readonly ErrorKey[]) {
  const statuses = [...new Set(keys.flatMap(statusesOf))].sort((a, b) => a - b);
  const keysOf = (status: number) => keys.filter((key) => statusesOf(key).includes(status));
  return Object.fromEntries(statuses.map((status) => [status, refusal(keysOf(status))]));
}

/** What no operation needs to say of itself. */
const ANY_ROUTE = refusal(ANYWHERE, 'Any route: ');
