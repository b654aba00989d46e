import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { NatsServer } from '@cds/servers';
import type { Servers } from './options.ts';

/** Where a server keeps its streams, in its own folder. */
const STREAMS = 'jetstream';

/** What a folder holds, by path below it. */
interface Kept {
  folders: readonly string[];
  files: readonly { path: string; content: Buffer }[];
}

let kept: Kept | undefined;

/** A container has files of its own user, what is durable is made as in production, and a node of a cluster shares its streams. */
const mayKeep = ({ nats, durable, nodes = 1 }: Servers): boolean => isBinary(nats) && !durable && nodes === 1;
const isBinary = ({ kind }: NatsServer): boolean => kind === 'binary';

/**
 * The streams and buckets of a bus as they are when they were just made, without a message. The first world of a worker makes them; all
 * others begin with copies of their files, which takes a quarter of the CPU. Undefined where they are still to be made.
 */
export function keptStreams(servers: Servers): ((dir: string) => void) | undefined {
  const copy = mayKeep(servers) ? kept : undefined;
  return copy && ((dir) => write(copy, join(dir, STREAMS)));
}

/** To be called when they have been made, and nothing was said yet. */
export function keepStreams(servers: Servers, dir: string): void {
  if (mayKeep(servers)) kept ??= read(join(dir, STREAMS));
}

function read(folder: string): Kept {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const pathOf = ({ parentPath, name }: (typeof entries)[number]) => relative(folder, join(parentPath, name));
  const paths = entries.filter((entry) => entry.isFile()).map(pathOf);
  return {
    folders: entries.filter((entry) => entry.isDirectory()).map(pathOf),
    files: paths.map((path) => ({ path, content: readFileSync(join(folder, path)) })),
  };
}

/** At once: some seventy small files, each of which would else take longer to wait for than to write. */
function write({ folders, files }: Kept, folder: string): void {
  for (const path of ['', ...folders]) mkdirSync(join(folder, path), { recursive: true });
  for (const { path, content } of files) writeFileSync(join(folder, path), content);
}
