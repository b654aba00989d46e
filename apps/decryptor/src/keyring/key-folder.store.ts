import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A key as it lies in the folder; the mark changes whenever either of its two files does. */
export interface KeyFile {
  name: string;
  mark: string;
}

/** What keeps a key from being used, in a sentence for the operator. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
}

const PEM = '.pem';
const MOST_KEYS = 1000;
const MOST_BYTES = 32 * 1024;

/** The keys of the folder. Names of hidden files are none: a cluster keeps the older versions of a mount in such. */
export async function listKeys(dir: string): Promise<KeyFile[]> {
  const files = (await readdir(dir)).filter((file) => file.endsWith(PEM) && !file.startsWith('.'));
  const names = files.map((file) => file.slice(0, -PEM.length)).toSorted();
  if (names.length > MOST_KEYS) throw new KeyFault(`it holds more than ${MOST_KEYS} keys`);
  const marked = async (name: string) => ({ name, mark: `${await markOf(pemOf(dir, name))} ${await markOf(passphraseOf(dir, name))}` });
  return Promise.all(names.map(marked));
}

/** An encrypted PEM and the passphrase beside it. */
export async function readKey(dir: string, name: string): Promise<{ pem: string; passphrase: string }> {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw new KeyFault('a service is named with letters, digits, _ and - only: rename the file');
  const pem = await readText(pemOf(dir, name));
  const passphrase = await readText(passphraseOf(dir, name)).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new KeyFault(`there is no ${name}.passphrase beside it`) : error;
  });
  return { pem, passphrase: passphrase.replace(/\r?\n$/, '') };
}

const pemOf = (dir: string, name: string) => join(dir, name + PEM);
const passphraseOf = (dir: string, name: string) => join(dir, `${name}.passphrase`);

async function markOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch(() => undefined);
  return found ? `${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}` : '-';
}

/** Reads no further than a key is long, whatever lies there. */
async function readText(path: string): Promise<string> {
  const file = await open(path);
  const bytes = Buffer.alloc(MOST_BYTES + 1);
  try {
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    if (bytesRead > MOST_BYTES) throw new KeyFault('it is too long for a key');
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    bytes.fill(0);
    await file.close();
  }
}
