import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { NatsServer } from '@codase/servers';
import type { Servers } from './options.ts';

/** The folder of a server's streams, below its own folder. */
const STREAMS = 'jetstream';

/** The content of a folder, by path below it. */
interface Kept {
  folders: readonly string[];
  files: readonly { path: string; content: Buffer }[];
}

let kept: Kept | undefined;

/**
 * Whether the streams of these servers may be copied. The files of a container belong to another user, durable servers are set up as in
 * production, and the nodes of a cluster share their streams.
 */
const mayKeep = ({ nats, durable, nodes = 1 }: Servers): boolean => isBinary(nats) && !durable && nodes === 1;
const isBinary = ({ kind }: NatsServer): boolean => kind === 'binary';

/**
 * Returns a function that writes the empty streams and buckets of a bus into a folder. The first world of a worker creates the streams; all
 * others begin with copies of their files, which takes a quarter of the CPU. Undefined when the streams have not been created yet.
 */
export function keptStreams(servers: Servers): ((dir: string) => void) | undefined {
  const copy = mayKeep(servers) ? kept : undefined;
  return copy && ((dir) => write(copy, join(dir, STREAMS)));
}

/** Keeps a copy of the streams. To be called after they were created and before the first message. */
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

/** Writes the files synchronously: there are about seventy small ones, and awaiting each would take longer than writing it. */
function write({ folders, files }: Kept, folder: string): void {
  for (const path of ['', ...folders]) mkdirSync(join(folder, path), { recursive: true });
  for (const { path, content } of files) writeFileSync(join(folder, path), content);
}
