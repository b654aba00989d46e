import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readLogHead, type LogHead } from '@codase/client';
import { LOG_PAGE, type AuditEntry } from '@codase/contracts';
import { Fault, UsageFault } from '@codase/command-line';
import { TEXT } from '../command.ts';
import { readExported } from '../exported-audit.ts';
import { baseAt, getFrom, mirroredHeads, readLogBases, type LogBase } from '../log-bases.ts';
import { operatorCommand } from './operator-command.ts';

/** The head of a log, as it was signed. */
interface Head extends Pick<LogHead, 'size' | 'root' | 'at'> {
  origin: string;
}

/** What was seen of a log, and is compared with what is seen later. */
type Seen = Pick<Head, 'origin' | 'size' | 'root'>;

/** A root that the first leaves of the log must have, and what is said when they have another one. */
interface Expected extends Pick<Head, 'size' | 'root'> {
  otherwise: string;
}

/** A head is signed each minute; an older one hides what was done since. */
const FRESH_MS = 10 * 60_000;
/** Entries that are younger may not be in the log yet. */
const PENDING_MS = 5 * 60_000;
const HASH_BYTES = 32;

/** Checks the transparency log of a base: that its head is signed and fresh, and extends the ones that were seen before and elsewhere. */
export const log = operatorCommand(
  {
    usage: 'log verify URL [--keys URL] [--state FILE] [--mirrors URLS] [--audit FILE --base NAME]',
    what:
      'check the transparency log of the front door or a region: URL is its address, --keys that of the front door if it is another; ' +
      '--state keeps in FILE what was seen, and compares; --audit looks for exported entries, of the front door or the base NAME; ' +
      '--mirrors names the addresses of the bases whose heads are compared, with commas, in place of all that the front door lists',
    options: { keys: TEXT, state: TEXT, audit: TEXT, base: TEXT, mirrors: TEXT },
  },
  ({ keys: keysUrl, state, audit, base: name = 'front-door', mirrors }, what, url) => {
    if (what !== 'verify') throw new UsageFault(`It is: ${log.usage}.`);
    return async () => {
      const seen = state === undefined ? undefined : readSeen(state);
      const base = baseAt(await readLogBases(keysUrl ?? url), url);
      const head = await readHead(url, base);
      if (seen) refuseShorter(seen, head);
      const { mirrored, unreachable } = await readMirrors(url, head, { of: base, keysUrl: keysUrl ?? url, mirrors });
      const wanted = await wantedLeaves(audit, name, head);
      const entries = wanted.size;
      const before = seen ? [{ ...seen, otherwise: `The first ${seen.size} leaves are not what they were.` }] : [];
      const own = { ...head, otherwise: 'The leaves do not have the root that the head names.' };
      await readLeaves(url, head, { expected: [...before, own, ...mirrored], wanted });
      refuseMissing(wanted);
      const { at, ...kept } = head;
      if (state !== undefined) writeFileSync(state, JSON.stringify(kept satisfies Seen));
      const result = { ...kept, at: at.toISOString(), entries, mirrors: mirrored.length, unreachable };
      const others = [
        `, and ${mirrored.length} heads that other bases hold`,
        ...unreachable.map((other) => `; ${other} cannot be compared`),
      ];
      return { result, said: `${head.origin}: ${head.size} leaves, ${entries} exported entries among them, as before${others.join('')}.` };
    };
  },
);

function readSeen(file: string): Seen | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Seen;
  } catch (cause) {
    throw new Fault(`${file} holds no head of a log: name the file of an earlier check, or one that is not there yet.`, { cause });
  }
}

const headOf = ({ address, log: number, size, root, at }: LogHead): Head => ({ origin: `${address}/${number}`, size, root, at });

/** Reads the head, and refuses one that no key of its base signed, one of another base, and one that is old. */
async function readHead(url: string, { base, address, keys }: LogBase): Promise<Head> {
  const found = await readLogHead((await getFrom(url, '/.well-known/codase-log/checkpoint')).toString(), keys);
  if (!found) throw new Fault(`No key of ${base} signed the head of the log.`);
  const head = headOf(found);
  if (found.address !== address) throw new Fault(`The head is that of another log: ${head.origin}.`);
  if (!(Date.now() - head.at.getTime() < FRESH_MS)) throw new Fault(`The head is old: it was signed at ${head.at.toISOString()}.`);
  return head;
}

/** Reads the heads of this log that the other bases hold, and says which bases do not answer. */
async function readMirrors(
  url: string,
  { origin }: Head,
  { of, keysUrl, mirrors }: { of: LogBase; keysUrl: string; mirrors: string | undefined },
): Promise<{ mirrored: Expected[]; unreachable: string[] }> {
  const { items } = JSON.parse((await getFrom(keysUrl, '/api/regions')).toString()) as { items: { api_url: string }[] };
  const listed = [keysUrl, ...items.map(({ api_url }) => api_url)].filter((other) => new URL(other).host !== new URL(url).host);
  const { heads, unreachable } = await mirroredHeads(of, mirrors?.split(',') ?? listed);
  const ofLog = heads.map(({ head, at }) => ({ ...headOf(head), holder: at })).filter((head) => head.origin === origin);
  const mirrored = ofLog.map(({ size, root, at, holder }) => ({
    size,
    root,
    otherwise: `${holder} holds a head that is not part of this log: ${size} leaves, signed ${at.toISOString()}.`,
  }));
  return { mirrored, unreachable };
}

function refuseShorter(seen: Seen, { origin, size }: Head): void {
  if (seen.origin !== origin)
    throw new Fault(`The log was ${seen.origin} and is ${origin}: the database was restored. If you know of it, begin a new --state.`);
  if (seen.size > size) throw new Fault(`The log had ${seen.size} leaves and has ${size}: leaves were taken away.`);
}

/** Returns the exported entries that must be in the log, by their leaves in hexadecimal. */
async function wantedLeaves(file: string | undefined, base: string, { at: signedAt }: Head): Promise<Map<string, AuditEntry>> {
  const { leafOf } = await import('@codase/platform');
  const entries = await readExported(file, base, { warn: () => undefined });
  if (file !== undefined && entries.length === 0) throw new Fault(`${file} has no entry of ${base}: name its base by --base.`);
  const due = entries.filter(({ salt, at }) => salt !== undefined && Date.parse(at) < signedAt.getTime() - PENDING_MS);
  return new Map(due.map((entry) => [leafOf(entry).toString('hex'), entry]));
}

/**
 * Reads all leaves, also those behind the head that another base has seen, and says which of the expected roots they do not have. Takes the
 * wanted leaves out that are there.
 */
async function readLeaves(
  url: string,
  { origin }: Head,
  { expected, wanted }: { expected: readonly Expected[]; wanted: Map<string, AuditEntry> },
): Promise<void> {
  const { MerkleTree } = await import('@codase/platform');
  const tree = MerkleTree.empty();
  const open = new Set(expected);
  const meet = () => {
    for (const one of open) if (one.size === tree.size && tree.root().toString('base64') === one.root) open.delete(one);
  };
  meet();
  const size = Math.max(...expected.map((one) => one.size));
  for (let page = 0; tree.size < size; page++) {
    const hashes = await getFrom(url, `/.well-known/codase-log/${origin.split('/').at(-1)!}/leaves/${page}`);
    if (hashes.length === 0) break;
    for (let at = 0; at < LOG_PAGE * HASH_BYTES && at < hashes.length && tree.size < size; at += HASH_BYTES) {
      const hash = hashes.subarray(at, at + HASH_BYTES);
      wanted.delete(hash.toString('hex'));
      tree.add(hash);
      meet();
    }
  }
  if (open.size > 0) throw new Fault([...open].map(({ otherwise }) => otherwise));
}

function refuseMissing(missing: ReadonlyMap<string, AuditEntry>): void {
  if (missing.size === 0) return;
  const first = [...missing.values()].slice(0, 5).map(described);
  throw new Fault([`${missing.size} exported entries are not in the log, or were changed:`, ...first]);
}

const described = ({ at, act, account_id }: AuditEntry): string => `  ${at} ${act} ${account_id ?? ''}`;
