import { ERRORS, type CallerKind, type Endpoint, type ErrorKey } from '@cds/contracts';
import { z } from 'zod';

/** The OpenAPI 3.1 document of a set of contracts. */
export function openapi(contracts: readonly Endpoint[], { title, version, servers }: { title: string; version: string; servers: readonly string[] }) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const contract of contracts) (paths[contract.path] ??= {})[contract.method.toLowerCase()] = describeOperation(contract);
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: servers.map((url) => ({ url })),
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } }, schemas: { Refusal: REFUSAL } },
  };
}

const REFUSAL = {
  type: 'object',
  required: ['error', 'error_key'],
  properties: { error: { type: 'string' }, error_key: { type: 'string', enum: Object.keys(ERRORS) }, error_description: { type: 'string' } },
};

function describeOperation(contract: Endpoint) {
  return {
    operationId: contract.name,
    summary: contract.summary,
    'x-spec': contract.spec,
    'x-served-at': contract.at,
    ...(isOpen(contract.callers) ? {} : { security: [{ bearer: [] }] }),
    parameters: [...parameters('path', contract.params), ...parameters('query', contract.query)],
    ...(contract.body && { requestBody: { required: true, content: contents(contract, schemaOf(contract.body, 'input')) } }),
    responses: { [contract.status]: { description: contract.summary, content: structured(schemaOf(contract.result, 'output')) }, ...refusals(contract.refusals) },
  };
}

const isOpen = (callers: readonly CallerKind[]) => callers.includes('anyone');

const contents = (contract: Endpoint, schema: unknown) => (contract.consumes === 'form' ? { 'application/x-www-form-urlencoded': { schema } } : structured(schema));

const structured = (schema: unknown) => ({ 'application/json': { schema }, 'application/xml': { schema } });

function schemaOf(shape: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' });
  return schema;
}

const parameters = (where: 'path' | 'query', shape?: z.ZodObject) =>
  Object.entries(shape?.shape ?? {}).map(([name, member]) => ({
    in: where,
    name,
    required: where === 'path' || !(member as z.ZodType).safeParse(undefined).success,
    schema: schemaOf(member as z.ZodType, 'input'),
  }));

/** One response per status, which lists the keys it may carry. */
function refusals(keys: readonly ErrorKey[]) {
  const byStatus: Record<string, { description: string; content: unknown }> = {};
  for (const key of keys) {
    const [status] = ERRORS[key];
    const description = [byStatus[status]?.description, `\`${key}\``].filter(Boolean).join(', ');
    byStatus[status] = { description, content: structured({ $ref: '#/components/schemas/Refusal' }) };
  }
  return byStatus;
}
