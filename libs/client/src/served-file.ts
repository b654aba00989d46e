import { parseObject, unreadable } from './json-object.ts';

/** A file that was opened. */
export interface OpenedFile {
  bytes: Buffer;
  name: string;
  type: string;
}

/**
 * A file of a customer. It is one file, whose name is null when the platform has its bytes alone. Or it is the envelope of something with
 * several pages, such as a passport, or with entries beside its file. @spec D1-2.8
 */
export type ServedFile =
  | (Omit<OpenedFile, 'name'> & { name: string | null; envelope?: undefined })
  | { envelope: Record<string, unknown>; bytes?: undefined };

const ONE_FILE = ['file', 'mime_type', 'original_name', 'size'];

/** Whether an envelope has one file, and nothing beside it. */
export const isOneFile = (envelope: Record<string, unknown>): boolean => Object.keys(envelope).sort().join() === ONE_FILE.join();

/** Reads an envelope. Customers write it, so a faulty one is refused with `decryptor.unreadable`, as every other faulty file. */
export function fileInEnvelope(text: string): ServedFile {
  const envelope = parseObject(text);
  if (!isOneFile(envelope)) return { envelope };
  const { file, original_name: name, mime_type: type, size } = envelope;
  if (typeof file !== 'string' || typeof name !== 'string' || typeof type !== 'string') throw unreadable();
  const bytes = Buffer.from(file.slice(file.indexOf(',') + 1), 'base64');
  if (bytes.length !== size || !file.startsWith(`data:${type};base64,`)) throw unreadable();
  return { bytes, name, type };
}
