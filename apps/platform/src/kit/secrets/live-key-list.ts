import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import type { ListedKey } from './key-list.ts';

/** A list of keys that is read again while the process runs, under the name that operators know it by. */
export const liveKeyList = (name: string, keys: LiveVariable<readonly ListedKey[]>): LiveKeys => ({
  reread: () => void keys.reread(),
  ids: () => ({ [name]: keys.current.map(({ id }) => id) }),
});
