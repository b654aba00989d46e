import { generateKeyPairSync, randomBytes, createPublicKey } from 'node:crypto';
import { chmodSync, chownSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Fault } from '@codase/command-line';
import { ProcessLock, type Holder, type Lock } from '@codase/stack/process-lock';
import { z } from 'zod';
import type { FileKey, KeyFile, Progress, ProgressFile } from './key-rotation.ts';

type Platform = typeof import('@codase/platform');

/**
 * Replaces a file completely or not at all. It keeps the owner, the group and the rights: the process that reads it may run as another
 * user. Nobody can read the new file before it has the owner and the group of the old one.
 */
function replaceFile(path: string, text: string): void {
  const { mode, uid, gid } = statSync(path);
  const file = `${path}.new`;
  rmSync(file, { force: true }); // a run that was killed may have left a file with other rights
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  try {
    const created = statSync(file);
    if (created.uid !== uid || created.gid !== gid) chownSync(file, uid, gid);
    chmodSync(file, mode & 0o7777); // unlike the mode of a new file, this is not cut by the umask
    renameSync(file, path);
  } catch (cause) {
    rmSync(file, { force: true });
    const { code } = cause as NodeJS.ErrnoException;
    throw new Fault(`${path} cannot be replaced with its owner and group kept (${code}): run this as root.`, { cause });
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault(`${path} cannot be read (${(cause as NodeJS.ErrnoException).code}): name the file that the platform reads.`, { cause });
  }
}

function readJson(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readText(path)) as Record<string, unknown>;
  } catch (cause) {
    if (cause instanceof Fault) throw cause;
    throw new Fault(`${path} holds no JSON: name the file that the platform reads.`, { cause });
  }
}

/** A file with a list of 32-byte keys in base64. The list is also written to a member of the file `copy`. */
export function secretKeyFile({ KeyListVariable }: Platform, path: string, copy?: { path: string; member: string }): KeyFile {
  const readKeys = (text: string): FileKey[] => {
    const read = KeyListVariable.safeParse(text);
    if (!read.success) throw new Fault(`${path} holds no keys: ${read.error.issues[0]!.message}.`);
    return read.data.map(({ id, key }) => ({ id, text: key.toString('base64') }));
  };
  return {
    read: () => readKeys(readText(path)),
    create: () => readKeys(randomBytes(32).toString('base64'))[0]!,
    write: (keys) => {
      const text = keys.map((key) => key.text).join('\n');
      if (copy) replaceFile(copy.path, JSON.stringify({ ...readJson(copy.path), [copy.member]: text }));
      replaceFile(path, `${text}\n`);
    },
  };
}

/** A file with the private keys of a base in PEM. The public keys are written to the file that every base reads, if there is one. */
export function signingKeyFile({ pemBlocks, verificationKey }: Platform, path: string, known?: { path: string; base: string }): KeyFile {
  const fileKey = (text: string): FileKey => ({ id: verificationKey(createPublicKey(text)).kid, text });
  const publicKey = ({ text }: FileKey) => {
    const { kty, crv, x, y } = verificationKey(createPublicKey(text)).jwk;
    return { kty, crv, x, y };
  };
  return {
    read: () => {
      const keys = pemBlocks(readText(path)).map(fileKey);
      if (keys.length === 0) throw new Fault(`${path} holds no private key in PEM.`);
      return keys;
    },
    create: () =>
      fileKey((generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string).trim()),
    write: (keys) => {
      if (known) replaceFile(known.path, JSON.stringify({ ...readJson(known.path), [known.base]: keys.map(publicKey) }));
      replaceFile(path, `${keys.map(({ text }) => text).join('\n')}\n`);
    },
  };
}

/**
 * The private keys in PEM that sign the deliveries of a region: a member of the file that the delivery reads. The public keys are written
 * to the file that every base reads.
 */
export function webhookKeyFile(
  { readWebhookSigningKeys }: Platform,
  { path, known, region }: { path: string; known: string; region: string },
): KeyFile {
  const readKeys = (text: unknown) => {
    const keys = readWebhookSigningKeys(String(text));
    if (!keys) throw new Fault(`${path} holds no Ed25519 private keys in PEM for ${region}.`);
    return keys.map(({ id, pem, jwk }) => ({ id, text: pem, jwk }));
  };
  return {
    read: () => readKeys(readJson(path)[region]),
    create: () => readKeys(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))[0]!,
    write: (keys) => {
      const text = keys.map((key) => key.text).join('\n');
      const jwks = readKeys(text).map(({ jwk }) => jwk);
      replaceFile(known, JSON.stringify({ ...readJson(known), [region]: jwks }));
      replaceFile(path, JSON.stringify({ ...readJson(path), [region]: text }));
    },
  };
}

export const basesIn = (path: string): string[] => Object.keys(readJson(path));

/** Locks a file, so that only one rotation of it runs at a time. Takes over the lock of a dead process. */
export function takeTurn(path: string): Lock {
  const refusal = ({ pid, since }: Holder) => `The process ${pid} rotates ${path} (begun at ${since}): let it end, or end it.`;
  return new ProcessLock(`${path}.rotation.lock`, { details: z.object({}), refusal }).take({});
}

/** The file of progress beside the file of keys. It has no key in it, and is removed when the rotation is over. */
export function progressBeside(path: string): ProgressFile {
  const file = `${path}.rotation`;
  return {
    read: () => (existsSync(file) ? (readJson(file) as unknown as Progress) : undefined),
    write: (progress) => {
      writeFileSync(`${file}.new`, JSON.stringify(progress), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    },
    remove: () => rmSync(file, { force: true }),
  };
}
