import { ENDPOINTS, readShape, Refusal, type Endpoint } from '@codase/contracts';
import { z } from 'zod';

/** The meaning of the address of an HTTP request. */
interface StreamRequest {
  /** The client to act as. */
  name: string;
  contract: Endpoint;
  /** Path and query at the client's home region. */
  path: string;
}

const NO_QUERY = z.strictObject({});
const OPERATIONS = new Map(ENDPOINTS.map((contract) => [contract.name, contract]));

/** Reads /v1/{client}/{operation}?…: its query holds the path parameters of the operation and its query parameters. */
export function readStreamRequest(method: string, address: string): StreamRequest {
  const { pathname, searchParams } = new URL(address, 'http://here');
  const [, name, operation] = /^\/v1\/([\w-]+)\/(\w+)$/.exec(pathname) ?? [];
  const contract = OPERATIONS.get(operation ?? '');
  if (!name || contract?.method !== method)
    throw new Refusal('request.not_found').because('Ask for /v1/{client}/{operation} with the method of the operation');
  return { name, contract, path: pathOf(contract, searchParams) };
}

function pathOf({ path, params, query }: Endpoint, given: URLSearchParams): string {
  const values = Object.fromEntries(given);
  const parameters = Object.keys(params?.shape ?? {});
  const [inPath, inQuery] = [pick(values, (key) => parameters.includes(key)), pick(values, (key) => !parameters.includes(key))];
  checkPathParameters(params, inPath);
  readShape(query ?? NO_QUERY, inQuery, 'query');
  const search = new URLSearchParams(inQuery).toString();
  return path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(inPath[name] ?? '')) + (search && `?${search}`);
}

const pick = (values: Record<string, string>, wanted: (key: string) => boolean) =>
  Object.fromEntries(Object.entries(values).filter(([key]) => wanted(key)));

/** Checks the path parameters: a value that may not stand in a path would make another path of it. */
function checkPathParameters(shape: z.ZodType | undefined, values: unknown): void {
  const issue = shape?.safeParse(values).error?.issues[0];
  if (issue) throw new Refusal('request.invalid').because(`query parameter ${issue.path.join('.')}: is missing, or cannot stand in a path`);
}
