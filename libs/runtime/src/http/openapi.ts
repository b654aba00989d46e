import {
  identity,
  largestBody,
  capabilitiesFor,
  CONTENT_SHA256_HEADER,
  EXAMPLES,
  PARAMETER_SAMPLES,
  RATE_LIMITS,
  RawFile,
  TAGS,
  tokens,
  type Base,
  type CallerKind,
  type Endpoint,
  type RateLimit,
  PORTABLE_PATTERNS,
  STATEMENT_CHARS,
} from '@codase/contracts';
import { z } from 'zod';
import { REFUSAL, RefusalResponses } from './openapi-refusals.ts';
import { NamedShapes, type Schema } from '../named-shapes.ts';

/** A base where operations are served. */
interface DocumentServer {
  url: string;
  description: string;
}

/** The title, version, description and servers of the document. */
interface DocumentInfo {
  title: string;
  version: string;
  description: string;
  /** The servers of each base. The first one of the front door has sign-in and tokens. */
  servers: Readonly<Partial<Record<Base, readonly DocumentServer[]>>>;
}

/** The OpenAPI 3.1 document of a set of contracts. */
export function openapi(contracts: readonly Endpoint[], { title, version, description, servers }: DocumentInfo) {
  const shapes = openapiShapes();
  const refusals = new RefusalResponses(shapes);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of contracts)
    (paths[contract.path] ??= {})[contract.method.toLowerCase()] = describeOperation(contract, { shapes, refusals, servers });
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: Object.values(servers).flat(),
    tags: [...new Set(contracts.flatMap(({ tag }) => tag ?? []))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      securitySchemes: securitySchemes(servers['front-door']?.[0]?.url ?? ''),
      schemas: { Refusal: REFUSAL, ...shapes.named },
      responses: refusals.shared,
    },
  };
}

const securitySchemes = (frontDoor: string) => ({
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'An access token that you have already.' },
  client_credentials: {
    type: 'oauth2',
    description: 'For backends: a service client (`svc_…`) or an account client (`acct_…`) gets a token with its id and secret.',
    flows: { clientCredentials: { tokenUrl: `${frontDoor}${tokens.issueToken.path}`, scopes: {} } },
  },
  authorization_code: {
    type: 'oauth2',
    description:
      'For people: a company signs in with the client `app_portal`, a person with `app_person`. PKCE with S256 is required; these two ' +
      'have no secret.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${frontDoor}${identity.authorize.path}`,
        tokenUrl: `${frontDoor}${tokens.issueToken.path}`,
        refreshUrl: `${frontDoor}${tokens.issueToken.path}`,
        scopes: {},
      },
    },
  },
});

/** How callers of each kind get their tokens. A service or account client may have a redirect_uri, and can then sign in as well. */
const SIGN_IN: Record<Exclude<CallerKind, 'anyone'>, readonly string[]> = {
  service: ['client_credentials'],
  account: ['client_credentials', 'authorization_code'],
  portal: ['authorization_code'],
  person: ['authorization_code'],
};

function securityOf(callers: readonly CallerKind[]) {
  const schemes = callers.flatMap((caller) => (caller === 'anyone' ? [] : SIGN_IN[caller]));
  return schemes.length === 0 ? [] : [...new Set(['bearer', ...schemes])].map((scheme) => ({ [scheme]: [] }));
}

interface DocumentParts {
  shapes: NamedShapes;
  refusals: RefusalResponses;
  servers: DocumentInfo['servers'];
}

function describeOperation(contract: Endpoint, { shapes, refusals, servers }: DocumentParts) {
  const { name, path, callers, params, query, body } = contract;
  const servedAt = contract.at.flatMap((base) => servers[base] ?? []);
  return {
    operationId: name,
    summary: contract.summary,
    description: `${contract.description}\n\n${costOf(contract)}`,
    ...(contract.tag && { tags: [contract.tag] }),
    'x-spec': contract.spec,
    'x-served-at': contract.at,
    'x-callers': callers,
    ...(callers.includes('account') && { 'x-capabilities': capabilitiesFor(path) }),
    ...(servedAt.length > 0 && { servers: servedAt }),
    security: securityOf(callers),
    parameters: [
      ...parameters('path', params, PARAMETER_SAMPLES, shapes),
      ...parameters('query', query, EXAMPLES[name]?.query ?? {}, shapes),
      ...parameters('header', contract.headers, EXAMPLES[name]?.headers ?? {}, shapes),
      ...(contract.act === undefined ? [] : [statementOn(contract.act)]),
    ],
    ...(body && { requestBody: { required: true, content: describeRequest(contract, shapes) } }),
    responses: { [contract.status]: describeAnswer(contract, shapes), ...refusals.of(contract.refusals) },
  };
}

/** Which bucket a call is charged to, and how long its body may be. */
function costOf({ limit, callers, body, largest }: Endpoint): string {
  const bucket = limit ?? (callers.includes('anyone') ? undefined : 'data');
  const charged = bucket ? `Cost: one call of the bucket \`${bucket}\`, ${sizeOf(bucket)}.` : 'Cost: none; it is not limited.';
  return body ? `${charged} The body may have ${Math.floor(largestBody({ largest, callers }) / 1024)} KiB.` : charged;
}

const COUNTED_BY = { address: 'source address', client: 'client', company: 'company' } as const;

function sizeOf(bucket: RateLimit): string {
  const { burst, per_second, by } = RATE_LIMITS[bucket];
  const rate = per_second >= 1 ? `${per_second} a second` : `${Math.round(per_second * 60)} a minute`;
  return `which holds ${burst} for each ${COUNTED_BY[by]} and fills with ${rate}, unless the operator set another size`;
}

/** The header of an act of a person. */
const statementOn = (object: string) => ({
  name: 'Codase-Act',
  in: 'header',
  required: false,
  description:
    'What a device of the person states of this act: a JWS of the type `codase-act+jwt`, signed with ES256 by the key in its header. Its ' +
    `claims are \`act\` (the operationId), \`on\` (the \`${object}\` of the request), \`digest\` (base64url SHA-256 of the body without ` +
    'a file and without members that have their default, as RFC 8785 writes it), `iat` and `jti`. Needed where the person has a device ' +
    'with a key.',
  schema: { type: 'string', maxLength: STATEMENT_CHARS },
});

const parameters = (
  where: 'path' | 'query' | 'header',
  shape: z.ZodObject | undefined,
  samples: Readonly<Record<string, unknown>>,
  shapes: NamedShapes,
) =>
  Object.entries(shape?.shape ?? {}).map(([name, member]) => {
    const { description, ...schema } = shapes.schemaOf(member as z.ZodType, 'input');
    return {
      in: where,
      name,
      ...(description !== undefined && { description }),
      required: where === 'path' || !(member as z.ZodType).safeParse(undefined).success,
      schema,
      ...exampleOf(samples[name]),
    };
  });

const exampleOf = (example: unknown) => (example === undefined ? {} : { example });

/** Both formats have one schema; the example is written as JSON. */
const structured = (schema: Schema, example?: unknown) => ({
  'application/json': { schema, ...exampleOf(example) },
  'application/xml': { schema },
});

function describeRequest({ name, body, consumes }: Endpoint, shapes: NamedShapes) {
  if (consumes === 'file') return FILE;
  const [schema, example] = [shapes.schemaOf(body!, 'input'), EXAMPLES[name]?.body];
  return consumes === 'form' ? { 'application/x-www-form-urlencoded': { schema, ...exampleOf(example) } } : structured(schema, example);
}

const BYTES = { type: 'string', format: 'binary' } as const;
const FILE = {
  'application/pdf': { schema: BYTES },
  'multipart/form-data': { schema: { type: 'object', properties: { file: BYTES }, required: ['file'], additionalProperties: false } },
} as const;

function describeAnswer({ name, summary, result, produces }: Endpoint, shapes: NamedShapes) {
  if (produces === 'redirect') return { description: summary, headers: LOCATION };
  if (produces === 'page') return { description: summary, content: { 'text/html': { schema: { type: 'string' } } } };
  if (produces === 'events') return { description: summary, content: { 'text/event-stream': describeEvents(result, name, shapes) } };
  if (result.safeParse(undefined).success) return { description: summary };
  const { structure, isBytes } = partsOf(result);
  const content = {
    ...(structure && structured(shapes.schemaOf(structure, 'output'), EXAMPLES[name]?.result)),
    ...(isBytes && { '*/*': { schema: BYTES } }),
  };
  return { description: summary, content, ...(produces === 'bytes' && { headers: DIGEST }) };
}

/** OpenAPI 3.1 knows no streams: the schema is that of one event, and the example shows it as it is written. */
function describeEvents(result: z.ZodType, name: string, shapes: NamedShapes) {
  const { id, event, data } = EXAMPLES[name]!.result as { id: string; event: string; data: unknown };
  const example = `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  return { schema: { type: 'string', description: 'Server-sent events' }, example, 'x-event-schema': shapes.schemaOf(result, 'output') };
}

/** The part of an answer that is structured, and whether the answer may be bytes instead. */
function partsOf(result: z.ZodType): { structure?: z.ZodType; isBytes: boolean } {
  const options = result instanceof z.ZodUnion ? (result.options as z.ZodType[]) : [result];
  if (!options.includes(RawFile)) return { structure: result, isBytes: false };
  const [structure, ...others] = options.filter((option) => option !== RawFile);
  if (!structure) return { isBytes: true };
  return { structure: others.length ? z.union([structure, ...others]) : structure, isBytes: true };
}

const LOCATION = {
  Location: {
    description: 'Where the browser goes: `redirect_uri` with `code` and `state`, or with `error`',
    required: true,
    schema: { type: 'string', format: 'uri' },
  },
};
const DIGEST = {
  [CONTENT_SHA256_HEADER]: {
    description: 'Lowercase hex SHA-256 over exactly the bytes served',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
};

/** The shapes of an OpenAPI document, which reads the latest draft of JSON Schema. */
const openapiShapes = () => new NamedShapes({ override: ({ zodSchema, jsonSchema }) => adapt(jsonSchema, zodSchema) });

/** Formats that say all that their pattern says. The pattern is left out: it is zod's own, and not every engine can compile it. */
const SPEAKING_FORMATS = new Set<unknown>(['date-time', 'date', 'email']);

/** Adds the contract's description of a shape, allows further members unless it is strict, and uses portable patterns. */
function adapt(schema: z.core.JSONSchema.BaseSchema, shape: z.core.$ZodType): void {
  const description = z.globalRegistry.get(shape)?.description;
  if (description !== undefined) schema.description = description;
  // An answer may gain members: clients that were generated from this document must go on reading it.
  if (shape instanceof z.ZodObject && shape.def.catchall === undefined) delete schema.additionalProperties;
  for (const part of [schema, ...((schema.allOf ?? []) as z.core.JSONSchema.BaseSchema[])]) {
    if (SPEAKING_FORMATS.has(part.format)) delete part.pattern;
    // Zod's own word for "has a pattern".
    if (part.format === 'starts_with') delete part.format;
    const portable = PORTABLE_PATTERNS.get(part.pattern ?? '');
    if (portable !== undefined) part.pattern = portable;
  }
}
