import { generateKeyPairSync, sign } from 'node:crypto';
import { KeyLog, keyCommitment, type KeyProof, type LoggedKey } from './key-log.ts';
import type { HeadKey } from './log-head.ts';
import { merkleLeaf } from './merkle-proof.ts';

const ADDRESS = 'codase.example/.well-known/codase-log';
const NOW = Date.parse('2026-11-19T12:00:00.000Z');
const KEY: LoggedKey = { kind: 'account', owner: 'K7M2QX', key_sha256: 'ab'.repeat(32) };
const OTHER: LoggedKey = { ...KEY, owner: 'ZZZZZZ' };
const OPENING = { at: '2026-11-19T11:00:00.000Z', salt: 'a salt', entry_salt: 'another salt' };

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwkOf = ({ publicKey }: ReturnType<typeof keyPair>) => publicKey.export({ format: 'jwk' }) as unknown as HeadKey;
const [SIGNER, THIEF] = [keyPair(), keyPair()];

const digest = async (...parts: Uint8Array[]) => Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.concat(parts)));
const node = (left: Uint8Array, right: Uint8Array) => digest(Buffer.of(1), left, right);

/** The leaf of a key, as an exported entry of the audit gives it. */
async function leafOf(key: LoggedKey): Promise<Uint8Array> {
  const commitment = await keyCommitment(key, OPENING.salt);
  const entry =
    `{"account_id":null,"act":"key.logged","address":null,"at":"${OPENING.at}","client_id":null,"details":{"commitment":"${commitment}"},` +
    `"initiator":"platform","object":null,"outcome":"done","salt":"${OPENING.entry_salt}"}`;
  return merkleLeaf(await digest(Buffer.from(entry)));
}

interface Stated {
  size: number;
  root: Uint8Array;
  log?: number;
  at?: number;
  address?: string;
  by?: ReturnType<typeof keyPair>;
}

function headOf({ size, root, log = 1, at = NOW, address = ADDRESS, by = SIGNER }: Stated): string {
  const origin = `${address}/${log}`;
  const text = `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\ntime ${new Date(at).toISOString()}\n`;
  const signature = sign('sha256', Buffer.from(text), { key: by.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${text}\n— ${origin} ${Buffer.concat([Buffer.alloc(4), signature]).toString('base64')}\n`;
}

describe('a reader of the transparency log @gap D1-8', () => {
  let [leaf, other]: Uint8Array[] = [];
  let two: Uint8Array;
  let three: Uint8Array;
  beforeAll(async () => {
    [leaf, other] = [await leafOf(KEY), await leafOf(OTHER)];
    two = await node(leaf, other);
    three = await node(two, other);
  });
  const base64 = (...hashes: Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('base64'));
  const proof = (stated: Partial<Stated> = {}, given: Partial<KeyProof> = {}): KeyProof => ({
    ...OPENING,
    leaf: 0,
    path: base64(other!),
    head: headOf({ size: 2, root: two, ...stated }),
    consistency: [],
    ...given,
  });
  const grown = (stated: Partial<Stated> = {}, since = [other!]) =>
    proof({ size: 3, root: three, ...stated }, { path: base64(other!, other!), consistency: base64(...since) });
  const reader = (address?: string) => new KeyLog({ now: () => NOW, keys: [jwkOf(SIGNER)], address });
  const checks = (log: KeyLog, given: KeyProof, key = KEY) => log.check(key, () => Promise.resolve(given));
  const refused = (fault: string) => ({ name: 'KeyNotLogged', fault });

  it('believes a proof of this key and this owner alone', async () => {
    await expect(checks(reader(ADDRESS), proof())).resolves.toMatchObject({ leaf: 0 });

    await expect(checks(reader(), proof(), OTHER)).rejects.toMatchObject(refused('key'));
    await expect(checks(reader(), proof(), { ...KEY, kind: 'service' })).rejects.toMatchObject(refused('key'));
    await expect(checks(reader(), proof({}, { salt: 'a guess' }))).rejects.toMatchObject(refused('key'));
    await expect(checks(reader(), proof({}, { path: ['no hash'] }))).rejects.toMatchObject(refused('key'));
    await expect(checks(reader(), proof({}, { leaf: 7 }))).rejects.toMatchObject(refused('key'));
  });

  it('believes only a head that a key of the base signed, for this log, in the last minutes', async () => {
    await expect(checks(reader(), proof({ by: THIEF }))).rejects.toMatchObject(refused('head'));
    await expect(checks(reader(), proof({}, { head: headOf({ size: 2, root: two }).replace('\n2\n', '\n3\n') }))).rejects.toMatchObject(
      refused('head'),
    );
    await expect(checks(reader(ADDRESS), proof({ address: 'eu.codase.example/.well-known/codase-log' }))).rejects.toMatchObject(
      refused('head'),
    );
    await expect(checks(reader(), proof({}, { head: 'x'.repeat(100_000) }))).rejects.toMatchObject(refused('head'));
    await expect(checks(reader(), proof({ at: NOW - 11 * 60_000 }))).rejects.toMatchObject(refused('stale'));
    await expect(checks(reader(), proof({ at: NOW + 11 * 60_000 }))).rejects.toMatchObject(refused('stale'));
  });

  it('follows a log that grows, and refuses an older head and a forked log', async () => {
    const log = reader();
    await checks(log, proof());
    await checks(log, grown());
    expect(log.seen).toMatchObject({ log: 1, size: 3 });

    await expect(checks(log, proof())).rejects.toMatchObject(refused('history'));
    const fork = await node(await node(leaf!, leaf!), other!);
    const forked = proof({ size: 3, root: fork }, { path: base64(leaf!, other!) });
    await expect(checks(log, forked)).rejects.toMatchObject(refused('history'));
    const longer = proof(
      { size: 4, root: await node(await node(leaf!, leaf!), two) },
      { path: base64(leaf!, two), consistency: base64(two) },
    );
    await expect(checks(log, longer)).rejects.toMatchObject(refused('history'));
    await expect(checks(log, { ...grown(), consistency: base64(other!) })).rejects.toMatchObject(refused('history'));
    expect(log.seen).toMatchObject({ size: 3 });
  });

  it('follows the next log after a restore, and goes back to no older one', async () => {
    const log = reader();
    await checks(log, grown());
    await checks(log, proof({ log: 2 }, { consistency: null }));

    await expect(checks(log, grown())).rejects.toMatchObject(refused('history'));
    expect(log.seen).toMatchObject({ log: 2, size: 2 });
  });

  it('goes on from the head that it saw before it was restarted', async () => {
    const before = reader();
    await checks(before, grown());
    const after = new KeyLog({ now: () => NOW, keys: [jwkOf(SIGNER)], seen: before.seen });

    await expect(checks(after, proof())).rejects.toMatchObject(refused('history'));
  });

  it('asks again from the head that another check has brought meanwhile', async () => {
    const log = reader();
    const seen: (number | undefined)[] = [];
    const ask = (first: KeyProof, then: KeyProof) => (from: { size: number } | undefined) => {
      seen.push(from?.size);
      return Promise.resolve(from ? then : first);
    };
    await Promise.all([log.check(KEY, ask(grown(), grown())), log.check(KEY, ask(proof(), grown({}, [])))]);

    expect(seen).toEqual([undefined, undefined, 3]);
    await Promise.all([1, 2, 3].map(() => log.check(KEY, ask(proof(), grown({}, [])))));
    expect(seen.slice(3)).toEqual([3, 3, 3]);
  });

  it('checks what comes after a proof that was refused', async () => {
    const log = reader();
    const first = log.check(KEY, () => Promise.reject(new Error('away')));
    const second = checks(log, proof(), OTHER);
    const third = checks(log, proof());

    await expect(first).rejects.toThrow('away');
    await expect(second).rejects.toMatchObject(refused('key'));
    await expect(third).resolves.toMatchObject({ leaf: 0 });
  });
});
