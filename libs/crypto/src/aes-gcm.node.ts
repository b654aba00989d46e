import { concatBytes, type Bytes } from './bytes.ts';

/** The part of node:crypto that is used here, so that browser projects need no Node types. */
interface NodeCrypto {
  createCipheriv(algorithm: 'aes-256-gcm', key: Bytes, iv: Bytes): NodeCipher;
  createDecipheriv(algorithm: 'aes-256-gcm', key: Bytes, iv: Bytes, options: { authTagLength: number }): NodeDecipher;
}

interface NodeTransform {
  update(data: Bytes): Uint8Array;
  final(): Uint8Array;
}

interface NodeCipher extends NodeTransform {
  getAuthTag(): Uint8Array;
}

interface NodeDecipher extends NodeTransform {
  setAuthTag(tag: Bytes): void;
}

const TAG_BYTES = 16;
const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };

/** AES-256-GCM by node:crypto, done synchronously on this thread; undefined in a browser. */
export const nodeGcm = gcmOf(process?.getBuiltinModule?.('node:crypto') as NodeCrypto | undefined);

function gcmOf(node: NodeCrypto | undefined) {
  return (
    node && {
      seal: sealWith(node),
      open: openWith(node),
      openInPlace: openInPlaceWith(node),
      sealPieces: sealPiecesWith(node),
      openPieces: openPiecesWith(node),
    }
  );
}

function sealWith(node: NodeCrypto) {
  return (key: Bytes, iv: Bytes, plaintext: Bytes): Bytes => {
    const cipher = node.createCipheriv('aes-256-gcm', key, iv);
    return concatBytes(cipher.update(plaintext), cipher.final(), cipher.getAuthTag());
  };
}

function openWith(node: NodeCrypto) {
  return (key: Bytes, iv: Bytes, data: Bytes): Bytes => {
    const decipher = node.createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    const end = data.length - TAG_BYTES;
    decipher.setAuthTag(data.subarray(end));
    const opened = decipher.update(data.subarray(0, end)); // all of the plaintext: this mode keeps nothing back for the end
    try {
      decipher.final();
      return new Uint8Array(opened.buffer as ArrayBuffer, opened.byteOffset, opened.byteLength);
    } catch (error) {
      opened.fill(0);
      throw error;
    }
  };
}

const STEP_BYTES = 64 * 1024;

/** Opens the ciphertext in its own memory, which is wiped when the tag does not match. */
function openInPlaceWith(node: NodeCrypto) {
  return (key: Bytes, iv: Bytes, data: Bytes): Bytes => {
    const decipher = node.createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    const [text, tag] = [data.subarray(0, data.length - TAG_BYTES), data.subarray(data.length - TAG_BYTES)];
    decipher.setAuthTag(tag);
    for (let at = 0; at < text.length; at += STEP_BYTES) text.set(decipher.update(text.subarray(at, at + STEP_BYTES)), at);
    try {
      decipher.final();
      return text;
    } catch (error) {
      text.fill(0);
      throw error;
    }
  };
}

/** Yields the ciphertext piece by piece as the plaintext comes, and the tag at the end. */
function sealPiecesWith(node: NodeCrypto) {
  return async function* (key: Bytes, iv: Bytes, plaintext: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const cipher = node.createCipheriv('aes-256-gcm', key, iv);
    for await (const piece of plaintext) yield cipher.update(piece as Bytes);
    yield cipher.final();
    yield cipher.getAuthTag();
  };
}

/** Yields the plaintext piece by piece as the ciphertext comes. None of it is authentic before the end, where a wrong tag throws. */
function openPiecesWith(node: NodeCrypto) {
  return function* (key: Bytes, iv: Bytes, ciphertext: Iterable<Uint8Array>, tag: Bytes): Generator<Uint8Array> {
    const decipher = node.createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    for (const piece of ciphertext) yield decipher.update(piece as Bytes);
    yield decipher.final();
  };
}
