import { contentOf } from './envelope.ts';
import { member, type JsonObject } from './json-values.ts';

const HEADER = '%PDF-';

/** Whether a file is a PDF, by its MIME type and its first bytes. @spec D1-2.5 */
export const isPdf = (mime: string, head: Uint8Array): boolean =>
  mime === 'application/pdf' && String.fromCharCode(...head.subarray(0, HEADER.length)) === HEADER;

/** Whether the file of an envelope is a PDF. @spec D1-2.5 */
export function containsPdf(envelope: JsonObject): boolean {
  const content = contentOf(member(envelope, 'file'));
  return content !== undefined && isPdf(content.mime, firstBytes(content.base64));
}

/** Decodes eight characters to six bytes, which is more than the header needs. */
const firstBytes = (base64: string): Uint8Array => Uint8Array.from(atob(base64.slice(0, 8)), (char) => char.charCodeAt(0));
