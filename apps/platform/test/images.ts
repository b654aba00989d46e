import { randomBytes } from 'node:crypto';
import type { NewPhoto } from '@cds/testing';

const word = (number: number) => Buffer.from([(number >>> 24) & 255, (number >>> 16) & 255, (number >>> 8) & 255, number & 255]);
const latin = (text: string) => Buffer.from(text, 'latin1');

/** A chunk of a PNG. Nobody here checks its checksum. */
export const pngChunk = (type: string, content: Buffer) => Buffer.concat([word(content.length), latin(type), content, word(0)]);

const PNG_SIGNATURE = latin('\x89PNG\r\n\x1a\n');
const PNG_HEADER = pngChunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]));

/** A PNG whose picture has so many bytes, with further chunks before the picture. */
export const png = (bytes: number, ...chunks: Buffer[]): Buffer =>
  Buffer.concat([PNG_SIGNATURE, PNG_HEADER, ...chunks, pngChunk('IDAT', randomBytes(bytes)), pngChunk('IEND', Buffer.alloc(0))]);

/** The photo as it is sent. */
export const photoOf = (bytes: Uint8Array, mime_type = 'image/png'): NewPhoto => ({
  file: `data:${mime_type};base64,${Buffer.from(bytes).toString('base64')}`,
  original_name: 'photo',
  mime_type,
  size: bytes.length,
});
