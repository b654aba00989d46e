import { DOCUMENT_MAX_MB, Refusal } from '@codase/contracts';
import { StringShortener } from '@codase/runtime/long-strings';
import { Base64Decoder } from '../../../storage/files/index.ts';

/** A PDF as a file envelope has it. @spec D2-4.2 */
const DATA_URI = 'data:application/pdf;base64,';
/** The most bytes of an envelope besides its file: a name, a type and a size. */
const AROUND_BYTES = 64 * 1024;
const STEP_BYTES = 256 * 1024;

/**
 * Returns the PDF of an envelope, in the memory of the envelope: each part of the base64 is read before bytes are written to its place, so
 * that a large PDF is in memory once. What is left of the envelope is wiped. @spec D2-4.3
 */
export function pdfIn(envelope: Buffer): Buffer {
  const length = decodeIn(envelope);
  if (length > DOCUMENT_MAX_MB * 1024 * 1024) throw unusable(`the PDF is larger than ${DOCUMENT_MAX_MB} MiB`);
  envelope.fill(0, length);
  return envelope.subarray(0, length);
}

/** Decodes the PDF to the beginning of the envelope, and returns its length. */
function decodeIn(envelope: Buffer): number {
  const [shortener, decoder] = [new StringShortener(AROUND_BYTES), new Base64Decoder()];
  let [length, isLong] = [0, false];
  const keep = (decoded: Iterable<Buffer>) => {
    for (const bytes of decoded) length += bytes.copy(envelope, length);
  };
  for (let from = 0; from < envelope.length; from += STEP_BYTES)
    for (const piece of refusing(() => shortener.add(envelope.subarray(from, from + STEP_BYTES)))) {
      keep(decoder.add(isLong ? piece : piece.subarray(DATA_URI.length))); // the first piece has the whole head of the data URI
      isLong = true;
    }
  const file = fileIn(refusing(() => shortener.whole()));
  if (isLong && file !== shortener.shortened) throw unusable(NO_PDF); // another member was long
  keep(isLong ? decoder.end() : [Buffer.from(file.slice(DATA_URI.length), 'base64')]);
  return length;
}

/** Returns the file of an envelope, of which most letters may have been taken out. */
function fileIn(envelope: Buffer): string {
  try {
    const { file } = JSON.parse(envelope.toString()) as { file?: unknown };
    if (typeof file === 'string' && file.startsWith(DATA_URI)) return file;
  } catch {
    // Neither JSON nor an object: there is no file.
  }
  throw unusable(NO_PDF);
}

/** Reads a part, and refuses an envelope with several long texts, or with much besides its file. */
function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? unusable(NO_PDF) : error;
  }
}

const NO_PDF = 'the envelope holds no PDF';
const unusable = (reason: string) => new Refusal('flows.source_pdf_invalid').because(reason);
