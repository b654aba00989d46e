import { createHash } from 'node:crypto';
import { isAnswerType, type RawFile, type Sealed } from '@codase/contracts';
import { binaryAnswerShape, type Definition, type FieldTypes } from '@codase/domain/field-types';

/** A binary answer in one of its three shapes. @spec D1-2.8 */
type ServedFile = { encrypted: true; value: Sealed } | { encrypted: false; value: string } | RawFile;

/**
 * Returns a wrapper, an envelope, or the bytes of an envelope, depending on the type that was asked for and on whether the source is
 * private. A file that is JSON or XML itself stays in its envelope: readers branch on Content-Type, and would take its bytes for one of the
 * other two shapes. @spec D1-2.8
 */
export function servedFile(definition: Definition | undefined, source_private: boolean, content: string): ServedFile {
  if (source_private) return { encrypted: true, value: content as Sealed };
  if (!definition || binaryAnswerShape(definition, false) === 'envelope') return { encrypted: false, value: content };
  const { file, mime_type } = JSON.parse(content) as { file: string; mime_type: string };
  if (isAnswerType(mime_type)) return { encrypted: false, value: content };
  return { content_type: mime_type, bytes: Buffer.from(file.slice(file.indexOf(',') + 1), 'base64') };
}

/** Returns the SHA-256 of the bytes that are served: of the raw file, or of the JSON of the other two shapes. @spec D1-2.8 */
export const digestOf = (file: ServedFile): string =>
  createHash('sha256')
    .update('bytes' in file ? file.bytes : JSON.stringify(file))
    .digest('hex');

/** Returns the digest of a binary answer as it is served; null for a text. */
export const fileDigest = (types: FieldTypes, type: string, source_private: boolean, content: string): string | null =>
  types.isBinary(type) ? digestOf(servedFile(types.resolve(type), source_private, content)) : null;
