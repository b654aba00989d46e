import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * The folder in which downloaded programs of others stay, one for all clones of this user: downloading them for each takes twenty seconds
 * of CPU. It is below `root` when the user has no writable folder for caches.
 */
export function downloadsFolder(root: string, env: NodeJS.ProcessEnv = process.env, home = homedir()): string {
  const { XDG_CACHE_HOME: cache } = env;
  const folder = join(cache && isAbsolute(cache) ? cache : join(home, '.cache'), 'company-data-service');
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return join(root, '.cache');
  }
}
