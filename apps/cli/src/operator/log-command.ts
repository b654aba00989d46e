import { createPublicKey, verify, type JsonWebKeyInput } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { LOG_PAGE, type AuditEntry } from '@codase/contracts';
import { Fault, UsageFault } from '@codase/command-line';
import { TEXT } from '../command.ts';
import { readExported } from '../exported-audit.ts';
import { operatorCommand } from './operator-command.ts';

type Tree = ReturnType<(typeof import('@codase/platform'))['MerkleTree']['empty']>;

/** The head of a log, as it was signed. */
interface Head {
  origin: string;
  size: number;
  root: string;
  at: Date;
}

/** What was seen of a log, and is compared with what is seen later. */
type Seen = Pick<Head, 'origin' | 'size' | 'root'>;

const ANSWER_MS = 30_000;
/** A head is signed each minute; an older one hides what was done since. */
const FRESH_MS = 10 * 60_000;
/** Entries that are younger may not be in the log yet. */
const PENDING_MS = 5 * 60_000;
const HASH_BYTES = 32;

/** Checks the transparency log of a base: that its head is signed and fresh, and extends the one that was seen before. */
export const log = operatorCommand(
  {
    usage: 'log verify URL [--keys URL] [--state FILE] [--audit FILE --base NAME]',
    what:
      'check the transparency log of the front door or a region: URL is its address, --keys that of the front door if it is another; ' +
      '--state keeps in FILE what was seen, and compares; --audit looks for exported entries, of the front door or the base NAME',
    options: { keys: TEXT, state: TEXT, audit: TEXT, base: TEXT },
  },
  ({ keys, state, audit, base = 'front-door' }, what, url) => {
    if (what !== 'verify') throw new UsageFault(`It is: ${log.usage}.`);
    return async () => {
      const seen = state === undefined ? undefined : readSeen(state);
      const head = await readHead(url, keys ?? url);
      if (seen) refuseShorter(seen, head);
      const wanted = await wantedLeaves(audit, base, head);
      const entries = wanted.size;
      await readLeaves(url, head, { seen, wanted });
      refuseMissing(wanted);
      const { at, ...kept } = head;
      if (state !== undefined) writeFileSync(state, JSON.stringify(kept satisfies Seen));
      const result = { ...kept, at: at.toISOString(), entries };
      return { result, said: `${head.origin}: ${head.size} leaves, ${entries} exported entries among them, as before.` };
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

/** Reads the head, and refuses one that no key of the platform signed, one of another base, and one that is old. */
async function readHead(url: string, keysUrl: string): Promise<Head> {
  const note = (await get(url, '/.well-known/codase-log/checkpoint')).toString();
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const [origin = '', size = '', root = '', time = ''] = text.split('\n');
  const signature = Buffer.from(note.split(' ').at(-1)!, 'base64').subarray(4);
  const { keys } = JSON.parse((await get(keysUrl, '/oauth2/jwks')).toString()) as { keys: JsonWebKeyInput['key'][] };
  const isBy = (key: JsonWebKeyInput['key']) =>
    verify('sha256', Buffer.from(text), { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' }, signature);
  if (!keys.some(isBy)) throw new Fault('No key of the platform signed the head of the log.');
  if (!origin.startsWith(`${new URL(url).host}/`)) throw new Fault(`The head is that of another log: ${origin}.`);
  const at = new Date(time.slice('time '.length));
  if (!(Date.now() - at.getTime() < FRESH_MS)) throw new Fault(`The head is old: it was signed at ${time.slice('time '.length)}.`);
  return { origin, size: Number(size), root, at };
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

/** Reads all leaves, and refuses when they do not have the roots of the two heads. Takes the wanted ones out that are there. */
async function readLeaves(
  url: string,
  { origin, size, root }: Head,
  { seen, wanted }: { seen: Seen | undefined; wanted: Map<string, AuditEntry> },
): Promise<void> {
  const { MerkleTree } = await import('@codase/platform');
  const tree = MerkleTree.empty();
  const isRoot = (of: Tree, expected: string) => of.root().toString('base64') === expected;
  const refuseOther = () => {
    if (seen?.size === tree.size && !isRoot(tree, seen.root)) throw new Fault(`The first ${tree.size} leaves are not what they were.`);
  };
  refuseOther();
  for (let page = 0; tree.size < size; page++) {
    const hashes = await get(url, `/.well-known/codase-log/${origin.split('/').at(-1)!}/leaves/${page}`);
    if (hashes.length === 0) throw new Fault(`The log has ${tree.size} leaves and not ${size}, as its head says.`);
    for (let at = 0; at < LOG_PAGE * HASH_BYTES && at < hashes.length && tree.size < size; at += HASH_BYTES) {
      const hash = hashes.subarray(at, at + HASH_BYTES);
      wanted.delete(hash.toString('hex'));
      tree.add(hash);
      refuseOther();
    }
  }
  if (!isRoot(tree, root)) throw new Fault('The leaves do not have the root that the head names.');
}

function refuseMissing(missing: ReadonlyMap<string, AuditEntry>): void {
  if (missing.size === 0) return;
  const first = [...missing.values()].slice(0, 5).map(described);
  throw new Fault([`${missing.size} exported entries are not in the log, or were changed:`, ...first]);
}

const described = ({ at, act, account_id }: AuditEntry): string => `  ${at} ${act} ${account_id ?? ''}`;
