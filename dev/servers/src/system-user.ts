import { stat } from 'node:fs/promises';
import { command } from './command.ts';

/** A user of this machine, with the member names of child_process. */
export interface SystemUser {
  uid: number;
  gid: number;
}

export const isRoot = (): boolean => process.getuid?.() === 0;

/** The user to run Postgres as, which refuses root: the owner of the data, or else `nobody`. Undefined for our own user. */
export async function postgresUser(data: string): Promise<SystemUser | undefined> {
  if (!isRoot()) return undefined;
  const owner = await stat(data).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}

async function idOf(flag: '-u' | '-g'): Promise<number> {
  const { ok, output, problem } = await command('id', [flag, 'nobody'], { seconds: 60 });
  if (ok) return Number(output);
  throw new Error(`Postgres refuses to run as root, and there is no user 'nobody' to run it as (${problem}). Run as an ordinary user.`);
}
