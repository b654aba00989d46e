import { createHash } from 'node:crypto';
import type { RawFile, Sealed } from '@cds/contracts';
import { binaryAnswerShape, type Definition, type FieldTypes } from '@cds/domain/field-types';

/** A binary answer in one of its three shapes. @spec D1-2.8 */
export type ServedFile = { encrypted: true; value: Sealed } | { encrypted: false; value: string } | RawFile;

/** A wrapper, an envelope, or the bytes that an envelope holds, by the type that was asked for and the source. @spec D1-2.8 */
export function servedFile(definition: Definition | undefined, source_private: boolean, content: string): ServedFile {
  if (source_private) return { encrypted: true, value: content as Sealed };
  if (!definition || binaryAnswerShape(definition, false) === 'envelope') return { encrypted: false, value: content };
  const { file, mime_type } = JSON.parse(content) as { file: string; mime_type: string };
  return { content_type: mime_type, bytes: Buffer.from(file.slice(file.indexOf(',') + 1), 'base64') };
}

/** Over the bytes that are served, in JSON where the answer is no raw file. @spec D1-2.8 */
export const digestOf = (file: ServedFile): string =>
  createHash('sha256').update('bytes' in file ? file.bytes : JSON.stringify(file)).digest('hex');

/** The digest of a binary answer as it is served; null for a text. */
export const fileDigest = (types: FieldTypes, type: string, source_private: boolean, content: string): string | null =>
  types.isBinary(type) ? digestOf(servedFile(types.resolve(type), source_private, content)) : null;

/** Well below what a message of the bus holds, since the quotes of a wrapper are escaped once more. */
const PIECE_CHARS = 192 * 1024;

/** A long text in pieces that can travel. */
export const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE_CHARS) }, (_, nth) => text.slice(nth * PIECE_CHARS, (nth + 1) * PIECE_CHARS));
