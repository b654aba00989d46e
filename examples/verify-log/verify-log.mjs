// Checks the transparency log of a base with nothing but Node: node verify-log.mjs KEYS_URL BASE_URL STATE_FILE [AUDIT_FILE]
import { createHash, createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const [keysUrl, baseUrl, stateFile, auditFile] = process.argv.slice(2);
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const check = (isRight, why) => {
  if (isRight) return;
  console.error(`NOT VERIFIED: ${why}`);
  process.exit(1);
};
const get = async (url, path) => {
  const answer = await fetch(new URL(path, url), { signal: AbortSignal.timeout(30_000) });
  check(answer.ok, `${url} answers ${answer.status} for ${path}`);
  return Buffer.from(await answer.arrayBuffer());
};
const sorted = (value) => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
};

// The head: four lines, a blank line, and a signature with ES256 by a key of the base whose log it is.
const note = (await get(baseUrl, '/.well-known/codase-log/checkpoint')).toString();
const text = note.slice(0, note.indexOf('\n\n') + 1);
const [origin, size, root, time] = text.split('\n');
const signature = Buffer.from(note.split(' ').at(-1), 'base64').subarray(4);
const { bases } = JSON.parse(await get(keysUrl, '/.well-known/codase-log/keys'));
const base = bases.find(({ address }) => address.startsWith(`${new URL(baseUrl).host}/`)) ?? { keys: [] };
const isBy = (key) => verify('sha256', text, { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' }, signature);
check(base.keys.some(isBy), 'no key of this base signed the head');
check(origin.startsWith(`${base.address}/`), `the head is that of ${origin}`);
check(Date.now() - Date.parse(time.slice(5)) < 600_000, `the head is old: ${time}`);

// What was seen before, and the exported entries that must be in the log, by their leaves. Those of the last minutes may not be there yet.
const seen = existsSync(stateFile) ? JSON.parse(readFileSync(stateFile)) : { origin, size: 0 };
check(seen.origin === origin, `the log was ${seen.origin} and is ${origin}: the database was restored`);
check(seen.size <= Number(size), `the log had ${seen.size} leaves and has ${size}`);
const lines = auditFile ? readFileSync(auditFile, 'utf8').split('\n').filter(Boolean).map(JSON.parse) : [];
const due = lines
  .map((line) => ({ ...line, base: undefined }))
  .filter(({ salt, at }) => salt && Date.parse(at) < Date.parse(time.slice(5)) - 300_000);
const leafOf = (entry) => sha256(Buffer.of(0), sha256(Buffer.from(JSON.stringify(sorted(entry))))).toString('hex');
const missing = new Map(due.map((entry) => [leafOf(entry), entry]));

// The tree, as a list of the roots of its complete subtrees: a new leaf joins those to its left that are as large.
const subtrees = [];
const rootOf = () =>
  (subtrees.length ? subtrees.reduceRight((right, left) => sha256(Buffer.of(1), left, right)) : sha256()).toString('base64');
for (let n = 0, page; n < Number(size); n++) {
  if (n % 4096 === 0) page = await get(baseUrl, `/.well-known/codase-log/${origin.split('/').at(-1)}/leaves/${n / 4096}`);
  let hash = page.subarray((n % 4096) * 32, (n % 4096) * 32 + 32);
  missing.delete(hash.toString('hex'));
  for (let left = n; left % 2 === 1; left = (left - 1) / 2) hash = sha256(Buffer.of(1), subtrees.pop(), hash);
  subtrees.push(hash);
  check(seen.size !== n + 1 || rootOf() === seen.root, `the first ${n + 1} leaves are not what they were`);
}
check(rootOf() === root, 'the leaves do not have the root of the head');
check(missing.size === 0, `no leaf has this entry: ${JSON.stringify([...missing.values()][0])}`);
writeFileSync(stateFile, JSON.stringify({ origin, size: Number(size), root }));
console.log(`${origin}: ${size} leaves, ${due.length} exported entries among them, as before and signed ${time.slice(5)}`);
