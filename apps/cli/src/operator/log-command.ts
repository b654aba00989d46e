import { createPublicKey, verify, type JsonWebKeyInput } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { LOG_PAGE, type AuditEntry } from '@codase/contracts';
import { Fault, UsageFault } from '@codase/command-line';
import { TEXT } from '../command.ts';
import { readExported } from '../exported-audit.ts';
import { operatorCommand } from './operator-command.ts';

/** The head of a log, as it was signed. */
interface Head {
  origin: string;
  size: number;
  root: string;
  at: Date;
}

/** What was seen of a log, and is compared with what is seen later. */
type Seen = Pick<Head, 'origin' | 'size' | 'root'>;

/** A root that the first leaves of the log must have, and what is said when they have another one. */
interface Expected extends Pick<Head, 'size' | 'root'> {
  otherwise: string;
}

const ANSWER_MS = 30_000;
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
  ({ keys: keysUrl, state, audit, base = 'front-door', mirrors }, what, url) => {
    if (what !== 'verify') throw new UsageFault(`It is: ${log.usage}.`);
    return async () => {
      const seen = state === undefined ? undefined : readSeen(state);
      const keys = await readKeys(keysUrl ?? url);
      const head = await readHead(url, keys);
      if (seen) refuseShorter(seen, head);
      const { mirrored, unreachable } = await readMirrors(url, head, { keys, keysUrl: keysUrl ?? url, mirrors });
      const wanted = await wantedLeaves(audit, base, head);
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

async function get(url: string, path: string): Promise<Buffer> {
  const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(ANSWER_MS) }).catch((cause: unknown) => {
    throw new Fault(`${url} cannot be reached.`, { cause });
  });
  if (!answer.ok) throw new Fault(`${new URL(path, url).href} answers ${answer.status}.`);
  return Buffer.from(await answer.arrayBuffer());
}

type Key = JsonWebKeyInput['key'];

async function readKeys(url: string): Promise<Key[]> {
  return (JSON.parse((await get(url, '/oauth2/jwks')).toString()) as { keys: Key[] }).keys;
}

/** Reads a signed head, and refuses one that no key of the platform signed. */
function signedHead(note: string, keys: readonly Key[], signer: string): Head {
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const [origin = '', size = '', root = '', time = ''] = text.split('\n');
  const signature = Buffer.from(note.split(' ').at(-1)!, 'base64').subarray(4);
  const isBy = (key: Key) =>
    verify('sha256', Buffer.from(text), { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' }, signature);
  if (!keys.some(isBy)) throw new Fault(`No key of the platform signed ${signer}.`);
  return { origin, size: Number(size), root, at: new Date(time.slice('time '.length)) };
}

/** Reads the head, and refuses one that no key of the platform signed, one of another base, and one that is old. */
async function readHead(url: string, keys: readonly Key[]): Promise<Head> {
  const head = signedHead((await get(url, '/.well-known/codase-log/checkpoint')).toString(), keys, 'the head of the log');
  if (!head.origin.startsWith(`${new URL(url).host}/`)) throw new Fault(`The head is that of another log: ${head.origin}.`);
  if (!(Date.now() - head.at.getTime() < FRESH_MS)) throw new Fault(`The head is old: it was signed at ${head.at.toISOString()}.`);
  return head;
}

/** Reads the heads of this log that the other bases hold, and says which bases do not answer. */
async function readMirrors(
  url: string,
  { origin }: Head,
  { keys, keysUrl, mirrors }: { keys: readonly Key[]; keysUrl: string; mirrors: string | undefined },
): Promise<{ mirrored: Expected[]; unreachable: string[] }> {
  const { items } = JSON.parse((await get(keysUrl, '/api/regions')).toString()) as { items: { region: string; api_url: string }[] };
  const host = new URL(url).host;
  const base = items.find(({ api_url }) => new URL(api_url).host === host)?.region ?? 'front-door';
  const listed = [keysUrl, ...items.map(({ api_url }) => api_url)].filter((other) => new URL(other).host !== host);
  const [mirrored, unreachable]: [Expected[], string[]] = [[], []];
  for (const other of mirrors?.split(',') ?? listed) {
    const heads = await headsAt(other, base);
    if (!heads) unreachable.push(other);
    const ofLog = (heads ?? [])
      .map((note) => signedHead(note, keys, `the head that ${other} holds`))
      .filter((head) => head.origin === origin);
    const otherwise = `${other} holds a head that is not part of this log`;
    mirrored.push(
      ...ofLog.map(({ size, root, at }) => ({ size, root, otherwise: `${otherwise}: ${size} leaves, signed ${at.toISOString()}.` })),
    );
  }
  return { mirrored, unreachable };
}

/** Returns the heads that a base holds of another one; undefined when it does not say. */
async function headsAt(url: string, base: string): Promise<string[] | undefined> {
  try {
    return (JSON.parse((await get(url, `/.well-known/codase-log/mirrors/${base}`)).toString()) as { heads: string[] }).heads;
  } catch {
    return undefined;
  }
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
    const hashes = await get(url, `/.well-known/codase-log/${origin.split('/').at(-1)!}/leaves/${page}`);
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
