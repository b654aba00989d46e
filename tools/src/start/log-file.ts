import { closeSync, copyFileSync, fstatSync, openSync, readSync, rmSync, statSync, truncateSync } from 'node:fs';

/** A log may grow to this before its older part moves to NAME.log.1, so one service keeps at most about twice as much on disk. */
const LOG_LIMIT = 8 * 1024 * 1024;
const CHECK_MS = 5000;
const LAST_LINES = 15;
const TAIL_BYTES = 32 * 1024;
const LINE_LENGTH = 400;

/** Opens a log for a child to write to. Appending is what lets `boundLog` cut the file while the child goes on writing. */
export const openLog = (path: string): number => openSync(path, 'a', 0o640);

export function boundLog(path: string, limit = LOG_LIMIT): void {
  if (sizeOf(path) <= limit) return;
  try {
    copyFileSync(path, `${path}.1`);
  } catch {
    rmSync(`${path}.1`, { force: true }); // no space for the older part: it is lost, so that the log stays bounded
  }
  truncateSync(path, 0);
}

/** The present size of the log, which marks where a new child begins to write. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Keeps logs bounded while they are written to. Returns a function that ends this. */
export function keepLogsBounded(paths: readonly string[]): () => void {
  const timer = setInterval(() => {
    for (const path of paths) boundLog(path);
  }, CHECK_MS).unref();
  return () => clearInterval(timer);
}

export function lastLogLines(path: string, from = 0): string {
  const lines = lastLines(path, LAST_LINES, from);
  return lines.length ? `The last lines of ${path}:\n${lines.map((line) => `  | ${line}`).join('\n')}` : `It wrote nothing to ${path}.`;
}

export function lastLines(path: string, count: number, from = 0): string[] {
  if (sizeOf(path) === 0) return [];
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const start = Math.max(from > size ? 0 : from, size - TAIL_BYTES);
    const buffer = Buffer.alloc(size - start);
    const read = readSync(file, buffer, 0, buffer.length, start);
    const lines = buffer
      .toString('utf8', 0, read)
      .split('\n')
      .filter((line) => line.trim() !== '');
    return lines.slice(-count).map((line) => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH - 1)}…` : line));
  } finally {
    closeSync(file);
  }
}
