import { Refusal, UPLOAD_BODY_BYTES } from '@codase/contracts';
import { CryptoRefusal, takePiecesApart } from '@codase/crypto';
import { StringShortener } from '@codase/runtime/long-strings';
import { parseObject, unreadable } from './json-object.ts';
import { fileInEnvelope, isOneFile, type OpenedFile, type ServedFile } from './served-file.ts';

/** The longest answer with a payload. A sealed contract is longer than its file, by its Signatures page, fonts and seal. */
export const PAYLOAD_BYTES = UPLOAD_BODY_BYTES + 8 * 1024 * 1024;

/**
 * Opens a file that is sealed to the service. It reads an answer of the platform as it comes, and keeps only the ciphertext of the wrapper,
 * which it releases while it opens it. Every fault of the file is refused with `decryptor.unreadable`.
 */
export class SealedFileReader {
  private readonly ciphertext: Buffer[] = [];
  private readonly decoder = new Base64Decoder((bytes) => this.ciphertext.push(bytes));
  private readonly wrapper = new LongMember('d', (text) => this.decoder.add(text));
  private readonly answer = new LongMember('value', (text) => this.wrapper.add(Buffer.from(text)));

  /** Takes the next bytes of the answer `{"encrypted":true,"value":…}`. */
  addAnswer(bytes: Uint8Array): void {
    try {
      this.answer.add(bytes);
    } catch (error) {
      refused(error);
    }
  }

  /** Opens a payload that holds one file. */
  open(unwrapKey: UnwrapKey): Promise<OpenedFile> {
    return this.read(unwrapKey, readEnvelope);
  }

  /** Opens a payload that may have several pages, or entries beside its file. Such a payload is returned as its envelope. */
  openServed(unwrapKey: UnwrapKey): Promise<ServedFile> {
    return this.read(unwrapKey, (plaintext) => readServed([...plaintext]));
  }

  private async read<T>(unwrapKey: UnwrapKey, read: (plaintext: Iterable<Uint8Array>) => T): Promise<T> {
    if (this.answer.end()['encrypted'] !== true) throw unreadable();
    const wrapper = JSON.stringify(this.wrapper.end());
    this.decoder.end();
    const { wrapped_key, openWith } = await takePiecesApart(wrapper, this.ciphertext.splice(0)).catch(refused);
    const value_key = await unwrapKey(wrapped_key);
    try {
      return read(openWith(value_key));
    } catch (error) {
      return refused(error);
    }
  }
}

type UnwrapKey = (wrapped_key: string) => Promise<string>;

/** Reads one file piece by piece. The text of several files is read whole. */
const readServed = (plaintext: readonly Uint8Array[]): ServedFile =>
  containsOneFile(plaintext) ? readEnvelope(plaintext) : fileInEnvelope(Buffer.concat(plaintext).toString());

/** Whether the envelope holds one file, by its members alone. Two long strings mean two files. */
function containsOneFile(plaintext: readonly Uint8Array[]): boolean {
  const shortener = new StringShortener(PAYLOAD_BYTES);
  try {
    for (const { buffer, byteOffset, length } of plaintext) shortener.add(Buffer.from(buffer, byteOffset, length));
  } catch (error) {
    if (error instanceof Refusal && error.key === 'request.invalid') return false;
    throw error;
  }
  return isOneFile(parseObject(shortener.whole().toString()));
}

/** Returns the file in its envelope. The bytes are authentic only when the last piece has been read. @spec D1-2.8 */
function readEnvelope(plaintext: Iterable<Uint8Array>): OpenedFile {
  const chunks: Buffer[] = [];
  const decoder = new Base64Decoder((bytes) => chunks.push(bytes));
  let isBegun = false;
  const envelope = new LongMember('file', (text) => {
    decoder.add(isBegun ? text : text.slice(text.indexOf(',') + 1));
    isBegun = true;
  });
  for (const piece of plaintext) envelope.add(piece);
  const { file, original_name, mime_type, size } = envelope.end();
  decoder.end();
  const bytes = Buffer.concat(chunks);
  if (typeof original_name !== 'string' || typeof mime_type !== 'string' || size !== bytes.length) throw unreadable();
  if (typeof file !== 'string' || !file.startsWith(`data:${mime_type};base64,`)) throw unreadable();
  return { bytes, name: original_name, type: mime_type };
}

/** Reads a JSON object as it comes, and hands on the text of one member, which may be long. */
class LongMember {
  /** Cuts the long text out of what is kept, also where a platform escapes its slashes. */
  private readonly shortener = new StringShortener(PAYLOAD_BYTES);

  constructor(
    private readonly member: string,
    private readonly take: (text: string) => void,
  ) {}

  add(bytes: Uint8Array): void {
    for (const text of this.shortener.add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))) this.take(text.toString());
  }

  /** Returns the object, with a short text in place of the long one. */
  end(): Record<string, unknown> {
    const object = parseObject(this.shortener.whole().toString());
    const text = object[this.member];
    if (typeof text !== 'string') throw unreadable();
    if (this.shortener.shortened === undefined) this.take(text);
    else if (this.shortener.shortened !== text) throw unreadable();
    return object;
  }
}

/** Decodes base64 as it comes, in multiples of four characters. */
class Base64Decoder {
  private rest = '';

  constructor(private readonly take: (bytes: Buffer) => void) {}

  add(text: string): void {
    const known = this.rest + text;
    const whole = known.length - (known.length % 4);
    if (whole > 0) this.take(Buffer.from(known.slice(0, whole), 'base64'));
    this.rest = known.slice(whole);
  }

  end(): void {
    if (this.rest !== '') throw unreadable();
  }
}

/** Refuses a fault of what was sent, and says nothing of its content. Throws any other error as it is. */
function refused(error: unknown): never {
  if (error instanceof CryptoRefusal || (error instanceof Refusal && error.key === 'request.invalid')) throw unreadable();
  throw error;
}
