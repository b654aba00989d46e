import { Injectable } from '@nestjs/common';
import { appDocuments, customerDocuments, DOCUMENT_MAX_MB, ownerRuns, Refusal, runs, type Endpoint } from '@codase/contracts';
import { CryptoRefusal, matchesSha256, openDecodedBox } from '@codase/crypto';
import type { BodySink, StreamedString } from '@codase/runtime/http';
import { Base64Decoder, type StreamedBody } from '../../storage/files/index.ts';
import type { DocumentRow } from './document-row.ts';

/** The PDF of an act, encrypted with a key that is used once. `box` holds IV, ciphertext and tag. @gap D1-2.12 */
export interface ActFile {
  otk: string;
  box: Buffer;
  /** Set once the file was opened: the PDF is decrypted in place, so `box` does not hold the ciphertext any more. */
  isOpened?: true;
}

const MAX_BYTES = DOCUMENT_MAX_MB * 1024 * 1024;
/** The bytes of the IV and the tag. */
const AROUND_BYTES = 12 + 16;

/**
 * Decodes the file of an act while it arrives, into the memory in which it is opened, so that its base64 is never kept. Memory is reserved
 * for the largest file, but the operating system provides only the part that is written.
 */
export class ActBox implements BodySink {
  private readonly box: Buffer;
  private readonly decoder = new Base64Decoder();
  private length = 0;

  constructor(mostBytes = MAX_BYTES) {
    this.box = Buffer.allocUnsafeSlow(mostBytes + AROUND_BYTES);
  }

  async write(base64: Uint8Array): Promise<void> {
    for (const bytes of this.decoder.add(base64)) this.add(bytes);
  }

  async end(): Promise<Buffer> {
    for (const bytes of this.decoder.end()) this.add(bytes);
    return this.box.subarray(0, this.length);
  }

  async abandon(): Promise<void> {}

  private add(bytes: Buffer): void {
    if (this.length + bytes.length > this.box.length) throw new Refusal('documents.too_large');
    this.length += bytes.copy(this.box, this.length);
  }
}

/** Takes the files of acts while they arrive. They are never stored. */
@Injectable()
export class ActFiles implements StreamedBody {
  readonly takes: readonly Endpoint[] = [
    appDocuments.signDocument,
    appDocuments.acceptDocument,
    customerDocuments.signDocument,
    customerDocuments.acceptDocument,
    runs.signOutput,
    runs.acceptOutput,
    ownerRuns.signOwnOutput,
    ownerRuns.acceptOwnOutput,
  ];

  open(): BodySink {
    return new ActBox();
  }
}

/**
 * Returns the file of an act; undefined when the act has none. The contract requires `otk` and `file` together or not at all. A long file
 * was decoded while it arrived, and a short text stands in its place in the body.
 */
export function actFile(otk: string | undefined, file: string | undefined, streamed: StreamedString | undefined): ActFile | undefined {
  if (streamed && streamed.shortened !== file)
    throw new Refusal('request.invalid').because('body: only file may be long, and its member must be there once');
  if (otk === undefined || file === undefined) return undefined;
  const decoded = Buffer.from(file, 'base64');
  if (decoded.toString('base64') !== file) throw unopened();
  return { otk, box: streamed ? (streamed.taken as Buffer) : decoded };
}

/** Opens the file in its own memory, and refuses unless it is exactly the PDF that the service issued. @spec D1-2.12 */
export async function openActFile(
  { plain_sha256 }: Pick<DocumentRow, 'plain_sha256'>,
  file: ActFile,
  mostBytes = MAX_BYTES,
): Promise<Buffer> {
  const { otk, box } = file;
  if (box.length > mostBytes + AROUND_BYTES) throw new Refusal('documents.too_large');
  file.isOpened = true;
  const opened = await openDecodedBox(otk, box as Buffer<ArrayBuffer>).catch((error: unknown) => {
    throw error instanceof CryptoRefusal ? unopened() : error;
  });
  if (!(await matchesSha256(opened, plain_sha256))) {
    opened.fill(0);
    throw new Refusal('documents.file_invalid').because('file: its SHA-256 is not the plain_sha256 of the document');
  }
  return Buffer.from(opened.buffer, opened.byteOffset, opened.byteLength);
}

const unopened = () => new Refusal('documents.file_invalid').because('file: does not open with otk');
