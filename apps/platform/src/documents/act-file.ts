import { DOCUMENT_MAX_MB, Refusal } from '@cds/contracts';
import { CryptoRefusal, matchesSha256, openBox } from '@cds/crypto';
import type { DocumentRow } from './document-row.ts';

/** The PDF of an act under a key that is used once: base64 of IV, ciphertext and tag. @gap D1-2.12 */
export interface ActFile {
  otk: string;
  file: string;
}

/** The contract takes both or neither. */
export const actFile = (otk: string | undefined, file: string | undefined): ActFile | undefined =>
  otk !== undefined && file !== undefined ? { otk, file } : undefined;

const MAX_BYTES = DOCUMENT_MAX_MB * 1024 * 1024;

/** The very PDF that the service issued. @spec D1-2.12 */
export async function openActFile(
  { plain_sha256 }: Pick<DocumentRow, 'plain_sha256'>,
  { otk, file }: ActFile,
  mostBytes = MAX_BYTES,
): Promise<Buffer> {
  const opened = await openBox(otk, file).catch((error: unknown) => {
    if (error instanceof CryptoRefusal) throw new Refusal('documents.file_invalid').because('file: does not open with otk');
    throw error;
  });
  if (opened.length > mostBytes) throw new Refusal('documents.too_large');
  if (!(await matchesSha256(opened, plain_sha256))) {
    opened.fill(0);
    throw new Refusal('documents.file_invalid').because('file: its SHA-256 is not the plain_sha256 of the document');
  }
  return Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength);
}
