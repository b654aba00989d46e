import { createHash } from 'node:crypto';
import type { documents, Request } from '@codase/contracts';
import { sealValueInPieces, type ValuePublicKey } from '@codase/crypto';

/** A file to send: its bytes, or a Blob. A Blob may be a file on the disk, which is read while it is sent. */
export interface FileToSend {
  bytes: Uint8Array | Blob;
  /** The name that the recipient sees, such as `Lease.pdf`. */
  name: string;
  /** The media type. Only `application/pdf` can be signed. */
  type: string;
}

export type NewDocument = Request<typeof documents.createDocument>['body'];
/** The content to send: anything that JSON can hold, or a file. */
export type Payload = { json: unknown; file?: undefined } | { file: FileToSend; json?: undefined };

/** Bytes that are read, encoded and sealed at a time: a multiple of three, so that the base64 of all pieces is one text. */
const PIECE_BYTES = 3 * 32 * 1024;

/** The key that a payload is sealed to, undefined when it is for everybody, and whether its digest is sent along. */
interface Sealing {
  recipient: ValuePublicKey | undefined;
  isSigned: boolean;
}

/** Yields the body of a call that sends a document, in pieces, so that no file is in memory twice; sealed if there is a recipient. */
export async function* documentBody(members: Partial<NewDocument>, payload: Payload, sealing: Sealing): AsyncGenerator<string> {
  const { file } = payload;
  yield `${JSON.stringify({ ...members, payload_kind: file ? 'file' : 'json' }).slice(0, -1)},`;
  if (!file) {
    const text = jsonText(payload.json);
    yield '"value":';
    yield* sealing.recipient ? quoted(sealValueInPieces(sealing.recipient, inBytes([text]))) : [JSON.stringify(text)];
  } else {
    yield* fileMembers(file, sealing);
  }
  yield '}';
}

/** Yields the body of a call that replaces a file, in the same way. */
export async function* fileBody(file: FileToSend, sealing: Sealing): AsyncGenerator<string> {
  yield '{';
  yield* fileMembers(file, sealing);
  yield '}';
}

/** Yields the body of a call that takes a sealed file as its `value`, in the same way. */
export async function* sealedFileBody(members: object, file: FileToSend, recipient: ValuePublicKey): AsyncGenerator<string> {
  yield `${JSON.stringify(members).slice(0, -1)},"value":`;
  yield* quoted(sealValueInPieces(recipient, inBytes(envelopeOf(file, () => undefined))));
  yield '}';
}

/** Yields the members of a file. The digest follows the file, since it is known only when the whole file has been read. */
async function* fileMembers(file: FileToSend, { recipient, isSigned }: Sealing): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const envelope = envelopeOf(file, (bytes) => hash.update(bytes));
  yield '"file":';
  yield* recipient ? quoted(sealValueInPieces(recipient, inBytes(envelope))) : envelope;
  if (isSigned) yield `,"plain_sha256":"${hash.digest('hex')}"`;
}

function jsonText(json: unknown): string {
  const text = JSON.stringify(json) as string | undefined;
  if (text === undefined) throw new TypeError('json: must be something that JSON can hold');
  return text;
}

/** Yields a file with its name and type, as JSON. @spec D1-2.8 */
async function* envelopeOf({ bytes, name, type }: FileToSend, see: (bytes: Uint8Array) => void): AsyncGenerator<string> {
  yield `{"file":${JSON.stringify(`data:${type};base64,`).slice(0, -1)}`;
  let size = 0;
  for await (const piece of piecesOf(bytes)) {
    see(piece);
    size += piece.length;
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64');
  }
  yield `","original_name":${JSON.stringify(name)},"mime_type":${JSON.stringify(type)},"size":${size}}`;
}

async function* piecesOf(bytes: Uint8Array | Blob): AsyncGenerator<Uint8Array> {
  const length = bytes instanceof Uint8Array ? bytes.length : bytes.size;
  for (let from = 0; from < length; from += PIECE_BYTES) {
    const end = Math.min(length, from + PIECE_BYTES);
    yield bytes instanceof Uint8Array ? bytes.subarray(from, end) : new Uint8Array(await bytes.slice(from, end).arrayBuffer());
  }
}

/** Yields the pieces as one JSON string. */
async function* quoted(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  yield '"';
  for await (const piece of pieces) yield JSON.stringify(piece).slice(1, -1);
  yield '"';
}

export async function* inBytes(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece);
}
