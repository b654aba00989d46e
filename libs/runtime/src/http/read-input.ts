import { isErrorKey, Refusal, type Endpoint, type ErrorKey } from '@cds/contracts';
import { z } from 'zod';
import { formatOf, JSON_FORMAT } from './formats.ts';
import { readForm } from './form.ts';

export interface RawRequest {
  params: unknown;
  query: unknown;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** Reads and validates what a request brings, by the endpoint's contract. */
export function readInput(contract: Endpoint, request: RawRequest): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  if (contract.params) input['params'] = valid(contract.params, request.params ?? {});
  if (contract.query) input['query'] = valid(contract.query, request.query ?? {});
  if (contract.body) input['body'] = valid(contract.body, readBody(contract, request));
  return input;
}

function readBody(contract: Endpoint, { headers, body }: RawRequest): unknown {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const contentType = headers['content-type'] as string | undefined;
  if (contract.consumes === 'form') {
    if (bytes.length && !contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')) {
      throw new Refusal('oauth.invalid_request').because('Send the parameters as application/x-www-form-urlencoded');
    }
    return readForm(bytes, headers['authorization'] as string | undefined);
  }
  if (bytes.length === 0) return {};
  const format = contentType === undefined ? JSON_FORMAT : formatOf(contentType);
  if (!format) throw new Refusal('request.format_unsupported');
  return format.read(bytes, jsonSchemaOf(contract.body!));
}

const schemas = new WeakMap<z.ZodType, unknown>();

function jsonSchemaOf(shape: z.ZodType): unknown {
  const known = schemas.get(shape) ?? z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  schemas.set(shape, known);
  return known;
}

/** A failed check that names a refusal answers it; any other says which member does not fit, never what it held. */
function valid(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const named = parsed.error.issues.map((issue) => issue.message).find(isErrorKey);
  if (named) throw new (Refusal as new (key: ErrorKey) => Refusal)(named);
  const [issue] = parsed.error.issues;
  throw new Refusal('request.invalid').because(`${issue?.path.join('.') || 'body'}: ${describe(issue)}`);
}

const describe = (issue: z.core.$ZodIssue | undefined) =>
  issue?.code === 'unrecognized_keys' ? 'has members this endpoint does not know' : (issue?.message ?? 'invalid');
