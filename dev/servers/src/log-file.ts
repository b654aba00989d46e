import { open, rename, stat } from 'node:fs/promises';

const KEEP_BYTES = 4 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;

/** Opens a server's log for appending, readable only by its owner. A long log becomes `.old` first: there are never more than two. */
export async function openLog(path: string) {
  const size = await sizeOf(path);
  if (size > KEEP_BYTES) await rename(path, `${path}.old`);
  return open(path, 'a', 0o600);
}

/** The length of the file; 0 when there is none. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** The last lines of a log, but none before the position `from`. */
export async function logTail(path: string, from = 0, lines = 12): Promise<string> {
  const size = await sizeOf(path);
  const start = Math.max(from, size - TAIL_BYTES, 0);
  if (size <= start) return '';
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-lines).join('\n');
  } finally {
    await file.close();
  }
}
