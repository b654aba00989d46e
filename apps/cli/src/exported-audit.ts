import type { AuditEntry } from '@codase/contracts';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Fault } from '@codase/command-line';

/** How every line of `audit export` begins. */
const BEGINNING = '{"base":';

type ExportedEntry = AuditEntry & { base: string };

/**
 * Reads the entries of one base from a file that `audit export` has printed. Lines that are not an entry are skipped, and `warn` gets a
 * sentence about them. It gets another one when no entry is of this base, because the export may not have named its region. `also` gets the
 * entries of all bases.
 */
export async function readExported(
  file: string | undefined,
  wanted: string,
  { warn = (line: string) => console.error(line), also }: { warn?: (line: string) => void; also?: (entry: ExportedEntry) => void } = {},
) {
  const entries: AuditEntry[] = [];
  if (file === undefined) return entries;
  const unread: number[] = [];
  let [number, found] = [0, 0];
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      number += 1;
      if (line.trim() === '') continue;
      const whole = entryIn(line);
      if (!whole) unread.push(number);
      const read = whole ?? entryIn(lastEntry(line));
      if (!read) continue;
      found += 1;
      also?.(read);
      const { base, ...entry } = read;
      if (base === wanted) entries.push(entry);
    }
  } catch (cause) {
    throw new Fault(`${file} cannot be read: name a file of lines that audit export printed.`, { cause });
  }
  if (unread.length > 0 && found === 0)
    throw new Fault(`${file} has no entry of the audit: name a file of lines that audit export printed.`);
  if (unread.length > 0) warn(skipped(file, unread));
  if (entries.length === 0) warn(without(file, wanted));
  return entries;
}

function entryIn(text: string): ExportedEntry | undefined {
  try {
    const read = JSON.parse(text) as ExportedEntry | null;
    return typeof read?.base === 'string' ? read : undefined;
  } catch {
    return undefined;
  }
}

/** An exporter that was killed leaves half an entry, and the next exporter writes its first entry into the same line. */
const lastEntry = (line: string): string => line.slice(Math.max(0, line.lastIndexOf(BEGINNING)));

const skipped = (file: string, lines: readonly number[]): string =>
  `${file}: skipped ${lines.length} line(s) that are not an entry of the audit, or the half of one, the first at line ${lines[0]}. ` +
  'npm prints such lines unless it runs with -s, and so does an export that is killed: with --cursor the entry then follows in whole.';

const without = (file: string, base: string): string =>
  `${file}: no entry is of ${base}, so nothing is known from the file of what was done there since the backup. ` +
  'An export has the entries of the front door, and of each region that it named by --region.';
