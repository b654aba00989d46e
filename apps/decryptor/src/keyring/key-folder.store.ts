import { stat as statOf } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bytes } from '@codase/crypto';
import { modeFault, type Folders } from './file-mode.ts';

/** A key in the folder. Its mark changes whenever one of its two files changes. */
interface KeyFile {
  name: string;
  mark: string;
}

/** An encrypted PEM and its passphrase. The passphrase is given as bytes, so that the reader can zero it: a string stays in memory. */
interface KeyText {
  pem: string;
  passphrase: Bytes;
  /** Faults that an operator should correct, though the key can be used. */
  warnings: string[];
}

/** A fault that keeps a key from being used, in a sentence for the operator. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
}

const PEM = '.pem';
const PASSPHRASE = '.passphrase';
const MAX_KEYS = 1000;
const MAX_BYTES = 32 * 1024;

/** The folder of the encrypted keys, and that of their passphrases: access to one of them is not enough to use a key. */
export class KeyFolder {
  constructor(private readonly folders: Folders) {}

  /** Returns the keys of the folder. Hidden files are left out: a cluster keeps the older versions of a mount in them. */
  async list(): Promise<KeyFile[]> {
    const files = (await readdir(this.folders.pems)).filter((file) => file.endsWith(PEM) && !file.startsWith('.'));
    const names = files.map((file) => file.slice(0, -PEM.length)).toSorted();
    if (names.length > MAX_KEYS) throw new KeyFault(`it holds more than ${MAX_KEYS} keys`);
    const marked = async (name: string) => ({ name, mark: `${await markOf(this.pemOf(name))} ${await markOf(this.passphraseOf(name))}` });
    return Promise.all(names.map(marked));
  }

  async read(name: string): Promise<KeyText> {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new KeyFault('a service is named with letters, digits, _ and - only: rename the file');
    const pem = await this.readFile(this.pemOf(name), name + PEM);
    const passphrase = await this.readFile(this.passphraseOf(name), name + PASSPHRASE).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new KeyFault(`there is no ${name}${PASSPHRASE} ${this.where()}`) : error;
    });
    const warnings = [pem.warning, passphrase.warning].filter((warning) => warning !== undefined);
    return { pem: Buffer.from(pem.bytes).toString('utf8'), passphrase: withoutLineEnd(passphrase.bytes), warnings };
  }

  private async readFile(path: string, file: string): Promise<{ bytes: Bytes; warning?: string }> {
    const handle = await open(path);
    try {
      const fault = modeFault(file, await handle.stat(), process.getuid?.());
      if (fault && this.folders.strict) throw new KeyFault(fault);
      return { bytes: await readBytes(handle), ...(fault && { warning: fault }) };
    } finally {
      await handle.close();
    }
  }

  private where(): string {
    return this.folders.passphrases === this.folders.pems ? 'beside it' : 'in PASSPHRASES_DIR';
  }

  private pemOf(name: string): string {
    return join(this.folders.pems, name + PEM);
  }

  private passphraseOf(name: string): string {
    return join(this.folders.passphrases, name + PASSPHRASE);
  }
}

/** This `stat` runs for both files of each key every few seconds. That of `node:fs/promises` takes 35 µs of CPU, and this one 15. */
const stat = promisify(statOf);

async function markOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}:${found.mode}:${found.uid}` : '-';
}

/** Reads no more bytes than a key may have, whatever the file is. */
async function readBytes(file: FileHandle): Promise<Bytes> {
  const buffer = new Uint8Array(MAX_BYTES + 1);
  try {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MAX_BYTES) throw new KeyFault('it is too long for a key');
    return buffer.slice(0, bytesRead);
  } finally {
    buffer.fill(0);
  }
}

const [LF, CR] = [0x0a, 0x0d];

/** Returns a view without the line end, so that zeroing it leaves nothing but the line end in memory. */
function withoutLineEnd(bytes: Bytes): Bytes {
  if (bytes.at(-1) !== LF) return bytes;
  return bytes.subarray(0, bytes.at(-2) === CR ? -2 : -1);
}
