import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { command, succeeds } from './command.ts';
import type { NatsBinary } from './nats-command.ts';

/** Folders with server programs that are not on every user's PATH. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/local/bin', '/usr/local/sbin', '/opt/homebrew/bin'];

/** The version that a nats-server program reports; undefined when it does not run here. */
export async function versionOf(path: string): Promise<string | undefined> {
  const { output } = await command(path, ['--version'], { seconds: 60 });
  return /^nats-server: v(\d+\.\d+\.\d+)/.exec(output)?.[1];
}

/** The newest nats-server in the folders of the PATH and the usual ones beside it. */
export async function newestOnPath(env: NodeJS.ProcessEnv): Promise<NatsBinary | undefined> {
  const found = await Promise.all((await onPath('nats-server', env)).map(async (path) => ({ path, version: await versionOf(path) })));
  return found
    .flatMap(({ path, version }) => (version ? [{ kind: 'binary', path, version, from: 'PATH' } as const] : []))
    .sort((a, b) => (isAtLeast(a.version, b.version) ? -1 : 1))[0];
}

/** The paths at which a program is found, in the order of the PATH. */
export async function onPath(program: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const folders = new Set([...(env.PATH ?? '').split(delimiter).filter(Boolean), ...MORE_FOLDERS]);
  const paths = [...folders].map((folder) => join(folder, program));
  const there = await Promise.all(paths.map((path) => succeeds(access(path, constants.X_OK))));
  return paths.filter((_, i) => there[i]);
}

/** Whether a version is `least` or newer, compared number by number. */
export function isAtLeast(version: string, least: string): boolean {
  const [a, b] = [version, least].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const differs = a.findIndex((part, i) => part !== (b[i] ?? 0));
  return differs === -1 || a[differs]! > (b[differs] ?? 0);
}

/** The version with which nats-server got each feature that we would use. */
const CAME_WITH = [
  ['2.10', 'consumers of several subjects'],
  ['2.12', 'atomic batches'],
] as const;

/** The features that a nats-server of this version does not have yet. */
export function lacks(version: string): string[] {
  return CAME_WITH.filter(([since]) => !isAtLeast(version, since)).map(([since, what]) => `${what} (${since})`);
}
