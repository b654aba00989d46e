import { isDeclaredRaster, RASTER_HEAD_BYTES } from '@codase/contracts/raster-image';
import { isJsonObject, member, type JsonObject } from './json-values.ts';
import { DOCUMENT_PAGES, FILE_NAME_CHARS } from './limits.ts';
import { below, reason, type Reason } from './reasons.ts';
import type { Lane } from './row.ts';

/** The members of a file: its bytes as a data URI, its name, its type and its size. @spec D2-4.2 */
export interface FileEnvelope {
  readonly file: string;
  readonly original_name: string;
  readonly mime_type: string;
  readonly size: number;
}

/** The members of an ID document: its pages in order, each a file. @gap D1-2.5 */
export interface PagesEnvelope {
  readonly pages: readonly FileEnvelope[];
}

/** Names that no metadata entry may have. */
export const ENVELOPE_MEMBERS: readonly string[] = ['file', 'original_name', 'mime_type', 'size', 'pages'];

const DATA_URI = /^data:([a-z0-9.+-]{1,100}\/[a-z0-9.+-]{1,100});base64,/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Returns what is wrong with a file envelope, or undefined when nothing is. The bytes of a photo, and of any file declared as an image,
 * must be a raster image. @spec D1-2.5 @gap D1-2.5 @gap D1-8
 */
export function fileFault(value: JsonObject, lane: Lane): Reason | undefined {
  const [name, mime] = [member(value, 'original_name'), member(value, 'mime_type')];
  if (typeof name !== 'string' || name === '' || name.length > FILE_NAME_CHARS) return below('original_name', reason('not_a_file_name'));
  const content = contentOf(member(value, 'file'));
  if (!content || content.mime !== mime || content.size !== member(value, 'size')) return below('file', reason('not_a_file'));
  const isImage = lane === 'photo' || content.mime.startsWith('image/');
  return isImage && !isDeclaredRaster(content.mime, headOf(content.base64)) ? below('file', reason('not_an_image')) : undefined;
}

const HEAD_CHARS = (RASTER_HEAD_BYTES / 3) * 4;
const headOf = (base64: string) => Uint8Array.from(atob(base64.slice(0, HEAD_CHARS)), (character) => character.charCodeAt(0));

/** Returns what is wrong with the pages of an ID document, or undefined when nothing is. @spec D1-2.5 @gap D1-2.5 */
export function pagesFault(value: JsonObject): Reason | undefined {
  const pages = member(value, 'pages');
  if (!Array.isArray(pages) || pages.length === 0 || pages.length > DOCUMENT_PAGES) return below('pages', reason('not_pages'));
  const faults = pages.map((page) => (isJsonObject(page) ? fileFault(page, 'document') : reason('not_an_object')));
  const bad = faults.findIndex((fault) => fault !== undefined);
  return bad < 0 ? undefined : below('pages', below(bad, faults[bad]!));
}

/** Returns the type, the size and the base64 text of a data URI. Undefined when the value is no data URI, or an empty one. */
export function contentOf(uri: unknown): { mime: string; size: number; base64: string } | undefined {
  const head = typeof uri === 'string' ? DATA_URI.exec(uri) : null;
  if (!head) return undefined;
  const base64 = head.input.slice(head[0].length);
  if (base64 === '' || base64.length % 4 !== 0 || !BASE64.test(base64)) return undefined;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return { mime: head[1]!, size: (base64.length / 4) * 3 - padding, base64 };
}
