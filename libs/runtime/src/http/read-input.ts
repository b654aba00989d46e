import { parse } from 'node:querystring';
import { readShape, Refusal, type Endpoint } from '@codase/contracts';
import { z } from 'zod';
import { formatOf, JSON_FORMAT } from './formats.ts';
import { readUpload } from './read-upload.ts';

interface RawRequest {
  params: unknown;
  query: unknown;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
}

/** Reads and validates what a request brings, by the endpoint's contract. */
export function readInput(contract: Endpoint, request: RawRequest): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  if (Buffer.isBuffer(request.body) && request.body.length > 0) checkEncoding(request.headers);
  if (contract.params) input['params'] = readShape(contract.params, request.params ?? {}, 'path');
  if (contract.query) input['query'] = readShape(contract.query, request.query ?? {}, 'query');
  if (contract.headers) input['headers'] = readShape(contract.headers, known(contract.headers, request.headers), 'header');
  if (contract.body) input['body'] = readShape(contract.body, readBody(contract, request), contract.consumes === 'form' ? 'form' : 'body');
  return input;
}

/** The headers that the contract reads. */
const known = ({ shape }: z.ZodObject, headers: RawRequest['headers']) =>
  Object.fromEntries(Object.keys(shape).flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));

/** Refuses a body that is compressed or not in UTF-8: it would be misread. @gap D1-4 */
function checkEncoding({ 'content-encoding': encoding = 'identity', 'content-type': type = '' }: RawRequest['headers']): void {
  if (String(encoding).trim().toLowerCase() !== 'identity')
    throw new Refusal('request.format_unsupported').because('Content-Encoding: must be left out; send the body as it is, not compressed');
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(String(type))?.[1] ?? 'utf-8';
  if (!CHARSETS.includes(charset.toLowerCase()))
    throw new Refusal('request.format_unsupported').because('Content-Type: its charset must be utf-8, or left out');
}
/** US-ASCII is a part of UTF-8. */
const CHARSETS = ['utf-8', 'utf8', 'us-ascii'];

function readBody(contract: Endpoint, { headers, body }: RawRequest): unknown {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const contentType = headers['content-type'] as string | undefined;
  if (contract.consumes === 'form') {
    if (bytes.length && !contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded')) {
      throw new Refusal('oauth.invalid_request').because('Content-Type: must be application/x-www-form-urlencoded');
    }
    return readForm(bytes, headers['authorization'] as string | undefined);
  }
  if (contract.consumes === 'file') return readUpload(contentType, bytes);
  if (bytes.length === 0) return {};
  const format = contentType === undefined ? JSON_FORMAT : formatOf(contentType);
  if (!format) throw new Refusal('request.format_unsupported').because('Content-Type: must be application/json or application/xml');
  return format.read(bytes, jsonSchemaOf(contract.body!));
}

const schemas = new WeakMap<z.ZodType, unknown>();

function jsonSchemaOf(shape: z.ZodType): unknown {
  const known = schemas.get(shape) ?? z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
  schemas.set(shape, known);
  return known;
}

/**
 * Reads a form-encoded body. A parameter given twice is refused, as OAuth asks, and so is a NUL byte; one without a value counts as absent
 * (RFC 6749, 3.2). A client may send its credentials in the Authorization header instead (RFC 6749, 2.3.1), but not in both places.
 * @gap D1-4.1
 */
function readForm(body: Buffer, authorization?: string): Record<string, string> {
  const form = readParameters(body);
  if (authorization === undefined) return form;
  const given = basicCredentials(authorization);
  const isTwice = form['client_secret'] !== undefined || (form['client_id'] ?? given.client_id) !== given.client_id;
  if (isTwice) throw new Refusal('oauth.invalid_request').because('Authenticate the client in one way, not two');
  return { ...form, ...given };
}

/** Reads the Basic credentials of a client. Both halves are form-encoded before they are joined. */
function basicCredentials(authorization: string): { client_id: string; client_secret: string } {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  const [client_id, client_secret] = [id, secret].map(formDecoded);
  if (!client_id || !client_secret || /\0/.test(client_id + client_secret))
    throw new Refusal('oauth.invalid_request').because('The Authorization header holds no client credentials');
  return { client_id, client_secret };
}

function formDecoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function readParameters(body: Buffer): Record<string, string> {
  const form = parse(body.toString('utf8'), '&', '=', { maxKeys: 0 });
  for (const name in form) {
    const value = form[name];
    if (typeof value !== 'string') throw new Refusal('oauth.invalid_request').because('A parameter is given twice');
    if (name.includes('\0') || value.includes('\0')) throw new Refusal('oauth.invalid_request').because('A parameter holds a NUL byte');
    if (value === '') delete form[name];
  }
  return form as Record<string, string>;
}
