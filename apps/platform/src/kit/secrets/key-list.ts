import { createHash } from 'node:crypto';
import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import { z } from 'zod';

const KEY_BYTES = 32;

/** A key and its id. What is written with the key carries the id. The id reveals nothing about the key. */
export interface ListedKey {
  id: string;
  key: Buffer;
}

/** Keys of one kind: the first writes, all read. A new one is known everywhere before it writes, an old one stays while it is needed. */
export interface KeyList {
  readonly current: readonly ListedKey[];
}

function listedKey(key: Buffer): ListedKey {
  if (key.length !== KEY_BYTES) throw new Error(`a key has ${key.length} bytes: give ${KEY_BYTES} random ones in base64`);
  return { id: createHash('sha256').update('key id').update(key).digest('base64url').slice(0, 8), key };
}

/** A list of keys that never changes. */
export const keyList = (...keys: Buffer[]): KeyList => ({ current: keys.map(listedKey) });

const EXPECTED = '32 random bytes in base64, or several such keys with blanks between them';

/** A list of keys in a variable: base64 with blanks or line breaks between them. A line that begins with # is a comment. */
export const KeyListVariable = z.string(EXPECTED).transform((text, context): readonly ListedKey[] => {
  const words = text.replaceAll(/^#.*$/gm, '').match(/\S+/g) ?? [];
  const keys = words.map((word) => Buffer.from(word, 'base64'));
  if (keys.length > 0 && keys.every(({ length }) => length === KEY_BYTES)) return keys.map(listedKey);
  context.addIssue({ code: 'custom', message: EXPECTED });
  return z.NEVER;
});

/** The key with which new data is written. */
export const writingKey = ({ current }: KeyList): ListedKey => current[0]!;

/** A list of keys that is read again while the process runs, under the name that operators know it by. */
export const liveKeyList = (name: string, keys: LiveVariable<readonly ListedKey[]>): LiveKeys => ({
  reread: () => void keys.reread(),
  ids: () => ({ [name]: keys.current.map(({ id }) => id) }),
});
