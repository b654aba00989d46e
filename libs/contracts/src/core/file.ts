import { z } from 'zod';
import { fromBase64, isBase64 } from './base64.ts';
import type { PlainKey } from './errors.ts';
import { expects, fails } from './fails.ts';
import { jsonIn } from './json.ts';
import { PHOTO_CHARS, UPLOAD_CHARS } from './limits.ts';
import { named } from './named.ts';
import { isDeclaredRaster, RASTER_HEAD_BYTES } from './raster-image.ts';
import { Ciphertext, Sealed } from './sealed.ts';
import { Line, text } from './text.ts';

/** Bytes with their own content type: how a handler gives them and a client receives them. On the wire only the bytes travel. */
export const RawFile = z.object({
  content_type: z.string(),
  bytes: z.instanceof(Uint8Array),
  /** For a page of the platform that runs scripts: the addresses that these may call, beside their own host. */
  scripts_call: z.array(z.string()).optional(),
});
export type RawFile = z.infer<typeof RawFile>;

/** A file that is sent as it is. */
export const FileBytes = z.custom<Uint8Array>((given) => given instanceof Uint8Array);

/** A sealed file, for the reader to whose key it is sealed. @spec D1-2.8 */
export const SealedFile = named('SealedFile', z.object({ encrypted: z.literal(true), value: Ciphertext }));

/** A file in the clear that is more than bytes: its envelope as a JSON string. @spec D1-2.8 */
export const ClearFile = named('ClearFile', z.object({ encrypted: z.literal(false), value: z.string() }));

/** The three shapes of a binary answer: branch on Content-Type, then on `encrypted`. @spec D1-2.8 */
export const BinaryAnswer = z.union([SealedFile, ClearFile, RawFile]);

const mediaTypeOf = (content_type: string) => content_type.split(';', 1)[0]!.trim().toLowerCase();

/** Whether structured answers are written in this type, so that a file of the same type could not be told from them. @spec D1-2.8 */
export const isAnswerType = (content_type: string): boolean =>
  ['application/json', 'application/xml', 'text/xml'].includes(mediaTypeOf(content_type));

/**
 * Reads the answer of a file endpoint to a caller that accepts JSON: a structured answer, or a file with its own type. JSON that is no
 * answer of the endpoint is a file too: the file of a broadcast is sent as it is, whatever its type. @spec D1-2.8 @spec D1-2.12
 */
export function readFileAnswer(result: z.ZodType, file: { content_type: string; bytes: Uint8Array }): unknown {
  if (mediaTypeOf(file.content_type) !== 'application/json') return file;
  const json = jsonIn(new TextDecoder().decode(file.bytes));
  return Object.hasOwn(Object(json) as object, 'encrypted') || result.safeParse(json).success ? json : file;
}

/** Header of every 200 that answers a file: lowercase hex SHA-256 over exactly the bytes served. @spec D1-2.8 */
export const CONTENT_SHA256_HEADER = 'X-Platform-Content-Sha256';

const DATA_URI = /^data:[a-z0-9.+-]{1,100}\/[a-z0-9.+-]{1,100};base64,/;

/** A file as a data URI. Its content is checked where the file is used. */
export const envelope = (most: number, tooLong: PlainKey) =>
  z.strictObject({
    file: z
      .string()
      .max(most, fails(tooLong))
      .refine((uri) => DATA_URI.test(uri.slice(0, 256)), expects('must be a data URI in base64, as data:image/png;base64,…')),
    original_name: Line,
    mime_type: text(200),
    size: z.int().min(1),
  });

/** A file in the clear, as it is sent. @spec D2-4.2 */
export const FileEnvelope = named('FileEnvelope', envelope(UPLOAD_CHARS, 'documents.too_large'));
export type FileEnvelope = z.infer<typeof FileEnvelope>;

/** A photo in the clear, of a company or of a person. Its bytes decide what it is. @gap D1-5 @gap D1-8 */
export const PhotoEnvelope = envelope(PHOTO_CHARS, 'request.invalid').refine(containsRaster, {
  ...fails('photos.type_unsupported'),
  path: ['file'],
});

function containsRaster({ file, mime_type }: { file: string; mime_type: string }): boolean {
  const [declared, head = ''] = [/^data:([^;,]*)/.exec(file)?.[1], file.slice(file.indexOf(',') + 1).slice(0, HEAD_CHARS)];
  return declared === mime_type && isBase64(head) && isDeclaredRaster(mime_type, fromBase64(head));
}
const HEAD_CHARS = (RASTER_HEAD_BYTES / 3) * 4;

/** A stored file by its name. @spec D2-4.1 */
export const StoredFile = z.object({ file: z.string() });

/** An answer that is a file: a reference in the clear, marked when it was linked from the person's profile. @spec D2-2.2 */
export const FileReference = z.strictObject(
  {
    _enc_file: text(64).min(1),
    _link: z.literal(1).optional(),
  },
  fails('contact_data.encryption_required'),
);
export type FileReference = z.infer<typeof FileReference>;

/** Whether a text is a file reference written as JSON. */
export const isFileReference = (text: string): boolean => text.length <= 256 && FileReference.safeParse(jsonIn(text)).success;

/**
 * The value of an answer: a wrapper, or a file reference. Both are JSON text. A reference that is sent as an object is accepted too, since
 * D2-4.2 can be read that way. @spec D2-2.3 @gap D2-4.2
 */
export const AnswerValue = z.union(
  [
    Sealed,
    // Serialized again: a member that is written twice would be ignored by the check, and stored with its content.
    z
      .string()
      .refine(isFileReference)
      .transform((text) => JSON.stringify(FileReference.parse(JSON.parse(text)))),
    FileReference.transform((reference) => JSON.stringify(reference)),
  ],
  fails('contact_data.encryption_required'),
);
