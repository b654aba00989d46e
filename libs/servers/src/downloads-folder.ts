import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Where programs of others that were downloaded stay: one folder for all clones of this user. To fetch them anew for each takes twenty
 * seconds of CPU. Below `root` where the user has no folder for such things that can be written.
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
