import { createHash } from 'node:crypto';
import { CONTENT_SHA256_HEADER, RawFile, type Endpoint, type Page } from '@codase/contracts';
import type { FastifyReply } from 'fastify';
import { formatFor } from './formats.ts';
import { PAGE_HEADERS, policyOfOwnFile, policyOfPage, USER_FILE_POLICY } from './page-policy.ts';

/** Returns the result in the form that its contract says, and sets the headers that go with it. */
export function writeAnswer(
  { produces, isOwnPage }: Pick<Endpoint, 'produces' | 'isOwnPage'>,
  reply: FastifyReply,
  result: unknown,
): unknown {
  if (produces === 'redirect') return void writeRedirect(reply, result as Redirect);
  if (produces === 'page') return writePage(reply, result as Page);
  if (produces === 'bytes') {
    if (isOwnPage) reply.headers(PAGE_HEADERS).header('content-security-policy', policyOfOwnFile(result as Partial<RawFile>));
    else reply.header('content-security-policy', USER_FILE_POLICY);
    return writeBytes(reply, result);
  }
  if (result === undefined) reply.removeHeader('content-type');
  return result;
}

/** Where a browser is sent, and what it keeps. */
interface Redirect {
  location: string;
  set_cookie?: string[];
}

function writeRedirect(reply: FastifyReply, { location, set_cookie }: Redirect): void {
  reply.header('location', location).removeHeader('content-type');
  if (set_cookie !== undefined) reply.header('set-cookie', set_cookie);
}

/** Writes the bytes here, because the digest is over exactly the bytes that leave. @spec D1-2.8 */
function writeBytes(reply: FastifyReply, result: unknown): Buffer {
  const file = RawFile.safeParse(result);
  const bytes = file.success ? file.data.bytes : Buffer.from(formatFor(reply.request).write(result));
  if (file.success) reply.type(file.data.content_type);
  reply.header(CONTENT_SHA256_HEADER.toLowerCase(), digestOf(bytes));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength); // the same memory for all callers, however slowly they read
}

/** The digests of bytes, so that bytes that are served again and again are hashed once. */
const digests = new WeakMap<Uint8Array, string>();

function digestOf(bytes: Uint8Array): string {
  const known = digests.get(bytes) ?? createHash('sha256').update(bytes).digest('hex');
  digests.set(bytes, known);
  return known;
}

/** Writes a page for a browser, or where the browser is sent in its place. */
export function writePage(reply: FastifyReply, { html, form_leads_to, location }: Page): Buffer {
  if (location !== undefined) reply.status(303).header('location', location);
  reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS);
  reply.header('content-security-policy', policyOfPage({ html, form_leads_to }));
  return Buffer.from(html);
}
