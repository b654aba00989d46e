import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@codase/command-line';
import { z } from 'zod';

const FILE = 'manifest.json';

/** What the manifest says of one database. */
const BackedUp = z.object({
  /** The name of the database on its server. */
  database: z.string(),
  made_at: z.iso.datetime(),
  server: z.string(),
  /** Where the backup is: a file of pg_dump in this folder, or a copy on the database's own server. */
  dump: z.object({ file: z.string().regex(/^[a-z0-9-]+\.dump$/), bytes: z.int(), sha256: z.string(), pg_dump: z.string() }).optional(),
  copy: z.object({ database: z.string() }).optional(),
  migrations: z.array(z.string()),
  rows: z.record(z.string(), z.int()),
});
export type BackedUp = z.infer<typeof BackedUp>;

const Manifest = z.object({
  format: z.literal(1),
  made_at: z.iso.datetime(),
  databases: z.record(z.string(), BackedUp),
  /** What the backup does not contain, and how to get each part back. */
  not_included: z.record(z.string(), z.string()),
});
export type Manifest = z.infer<typeof Manifest>;

/** A text for people who read the manifest years later. docs/operations/backup-and-restore.md explains it in full. */
export const NOT_INCLUDED: Manifest['not_included'] = {
  'buckets clients, field_types, modes, deleted_accounts, ended_sessions, device_keys, verification_providers':
    'a front door that starts publishes them from its tables',
  'bucket restore_marks': 'each front door and region writes it every 5 seconds',
  'stream FEED': 'npm run codase -- events resend --lost, from what the feed consumer has in its database',
  'stream CHALLENGES': 'twofa publishes at its start what is missing',
  'stream TURNS':
    'the data folder of the bus; what is lost does not come again: list the turns of each service (codase.flows.v1.NAME.turns)',
  'stream PARKED': 'the data folder of the bus; what FEED gives out again is parked anew',
  'objects of files (FILE_STORE=s3)': 'the bucket keeps an object for FILE_DELETE_AFTER_DAYS after its file was deleted',
  'secrets and private keys': 'your store of secrets, never beside the databases',
};

/** Writes the manifest, as the last file of a backup: a folder without a manifest is no complete backup. */
export function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, FILE);
  writeFileSync(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function readManifest(folder: string): Manifest {
  const path = join(folder, FILE);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Fault(`${folder} has no ${FILE}: it is no backup, or one that did not end. Name the folder that backup --to made.`, {
      cause,
    });
  }
  const manifest = Manifest.safeParse(jsonIn(text));
  if (!manifest.success) throw new Fault(`${path} cannot be read: it was changed, or another release wrote it. Restore with that release.`);
  return manifest.data;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the path of the dump. Throws when the file is not what the backup wrote. */
export async function checkFile(folder: string, { file, sha256 }: NonNullable<BackedUp['dump']>): Promise<string> {
  const path = join(folder, file);
  const found = await sha256Of(path).catch((cause: unknown) => {
    throw new Fault(`${path} cannot be read: copy the whole folder of the backup.`, { cause });
  });
  if (found !== sha256) throw new Fault(`${path} is not what the backup wrote: its checksum differs. Take another copy of the backup.`);
  return path;
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
