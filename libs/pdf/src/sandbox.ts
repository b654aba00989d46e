import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * What the permission model does not cover: signals, which reach every process of the same user, and the user and priority of processes.
 * Before the first line of the program runs, signals to other processes fail as if forbidden, and the other functions are deleted, also for
 * modules that import them by name.
 */
const WITHOUT_SIGNALS = `
  import { syncBuiltinESMExports } from 'node:module';
  import os from 'node:os';
  const { pid, _kill: signal } = process;
  const EPERM = -os.constants.errno.EPERM;
  process._kill = (other, number) => (other === pid ? signal(other, number) : EPERM);
  const identity = ['setuid', 'seteuid', 'setgid', 'setegid', 'setgroups', 'initgroups'];
  for (const name of ['_debugProcess', '_debugEnd', ...identity]) delete process[name];
  delete os.setPriority;
  syncBuiltinESMExports();`;

/** Whether this Node can deny the network too. Node 24 cannot. */
export const DENIES_NETWORK = process.allowedNodeEnvironmentFlags.has('--allow-net');

/**
 * Returns the flags of Node for a program that handles files of strangers. It may read its own code and nothing else: no other file, no
 * network, no process, thread, addon or inspector. It needs no right of the system, so it works in every container.
 */
export const sandboxFlags = (program: URL): string[] => [
  '--permission',
  ...codeOf(program).map((path) => `--allow-fs-read=${path}`),
  '--no-experimental-sqlite', // node:sqlite opens and writes files without asking for permission
  '--no-addons',
  '--disable-sigusr1',
  `--import=data:text/javascript,${encodeURIComponent(WITHOUT_SIGNALS)}`,
];

/** Returns the folders of the program's code: its own with the package.json beside it, and those of its packages. */
function codeOf(program: URL): string[] {
  const own = dirname(fileURLToPath(program));
  return [own, join(own, '../package.json'), ...foldersAbove(own).map((folder) => join(folder, 'node_modules'))];
}

const foldersAbove = (folder: string): string[] => (dirname(folder) === folder ? [folder] : [folder, ...foldersAbove(dirname(folder))]);
