import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { command, type CommandResult } from '@codase/servers';

const USER = 65_532;

/** Options that restrict a container like a pod: another user, nothing writable, no capability, and the lowest limits. */
const RESTRICTED = [
  '--rm --read-only --read-only-tmpfs=false --cap-drop all --security-opt no-new-privileges --network host',
  `--user ${USER}:${USER} --ulimit nofile=1024:1024 --ulimit nproc=1024:1024`,
].flatMap((options) => options.split(' '));

export interface Container {
  name: string;
  image: string;
  /** The program of the image: `main.js`, `migrate.js` or `prepare.js`. */
  program: string;
  env: Readonly<Record<string, string>>;
  secrets: string;
}

const wordsOf = (variable: string): string[] => (process.env[variable] ?? '').split(' ').filter(Boolean);

/** Builds an image as deploy/README.md says; CODASE_PODMAN_BUILD adds options that a machine needs. */
export const buildImage = (root: string, app: string, image: string): Promise<CommandResult> => {
  const file = ['-f', 'deploy/images/Containerfile', '--ignorefile', 'deploy/images/containerignore'];
  const args = ['build', ...wordsOf('CODASE_PODMAN_BUILD'), ...file, '--build-arg', `APP=${app}`, '-t', image, '.'];
  return command('podman', args, { seconds: 1800, cwd: root });
};

/** Runs a container until it ends, or in the background; CODASE_PODMAN_RUN adds options that a machine needs. */
export function runContainer(container: Container, { detached }: { detached: boolean }): Promise<CommandResult> {
  const { name, image, program, env, secrets } = container;
  const variables = Object.entries(env).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]);
  const mode = [...(detached ? ['--detach'] : []), '--name', name, '--volume', `${secrets}:/run/secrets:ro`];
  return command('podman', ['run', ...wordsOf('CODASE_PODMAN_RUN'), ...RESTRICTED, ...mode, ...variables, image, program], {
    seconds: 300,
  });
}

/** Variables that belong to the machine, not to the service. */
const OF_MACHINE = new Set(['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'NODE_CHANNEL_FD']);
const OF_FILE = /_(FILE|DIR)$/;

export function variablesOf(pid: number): Record<string, string> {
  const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s, 2) as [string, string]));
}

/** The same without the variables of the machine itself. */
export const environmentOf = (pid: number): Record<string, string> =>
  Object.fromEntries(Object.entries(variablesOf(pid)).filter(([name]) => !OF_MACHINE.has(name) && !name.startsWith('NODE_CHANNEL')));

/** The owner of mounted secrets: root, and the group of the images. */
const MOUNTED_BY = { uid: 0, gid: USER };

/** Returns the environment for a container. Its secrets are copied, readable for its group, as a cluster mounts them. */
export function mountSecrets(env: Readonly<Record<string, string>>, folder: string, owner = MOUNTED_BY): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  share(folder, owner);
  return Object.fromEntries(
    Object.entries(env).map(([variable, value]) => {
      if (!OF_FILE.test(variable)) return [variable, value];
      const copy = join(folder, variable);
      cpSync(value, copy, { recursive: true, dereference: true });
      share(copy, owner);
      return [variable, `/run/secrets/${variable}`];
    }),
  );
}

/** Sets the owner of everything at the path, and the modes: files 0440 and folders 0750. */
function share(path: string, owner: typeof MOUNTED_BY): void {
  const isFolder = statSync(path).isDirectory();
  chownSync(path, owner.uid, owner.gid);
  chmodSync(path, isFolder ? 0o750 : 0o440);
  if (isFolder) for (const name of readdirSync(path)) share(join(path, name), owner);
}
