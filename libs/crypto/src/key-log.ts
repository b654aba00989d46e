import { fromHex } from './bytes.ts';
import { sha256Hex } from './digests.ts';
import { readHashes, readLogHead, type HeadKey, type LogHead } from './log-head.ts';
import { isExtended, isIncluded, merkleLeaf } from './merkle-proof.ts';

/** A public key as its readers know it: what it is, whose it is, and its SHA-256 in hexadecimal. */
export interface LoggedKey {
  kind: string;
  owner: string;
  key_sha256: string;
}

/** What shows that a key stands in the transparency log of a base: what opens its leaf, the path to the root, and the signed head. */
export interface KeyProof {
  at: string;
  salt: string;
  entry_salt: string;
  leaf: number;
  path: readonly string[];
  head: string;
  /** The path from the head that was seen before, in the same log; null when there is none. */
  consistency: readonly string[] | null;
}

/** A head that was seen. A later one has to extend it. */
export interface SeenHead extends Pick<LogHead, 'address' | 'log' | 'size' | 'root'> {}

const FAULTS = {
  head: 'the head of the log is not signed by a key of its base, or is that of another log',
  stale: 'the head of the log is not of the last minutes',
  history: 'the log does not extend the one that was seen before',
  key: 'the leaf of the log is not that of this key and this owner, or is not in the log',
} as const;

/** What is wrong with a proof. */
export type KeyLogFault = keyof typeof FAULTS;

/** Thrown for a key that the log does not show. Do not seal to it; tell the platform, and keep what you were given. */
export class KeyNotLogged extends Error {
  override readonly name = 'KeyNotLogged';

  constructor(
    readonly key: LoggedKey,
    readonly fault: KeyLogFault,
  ) {
    super(`The key of the ${key.kind} ${key.owner} is not shown by the transparency log: ${FAULTS[fault]}`);
  }
}

/** A head is signed each minute; an older one hides what was done since. */
const FRESH_MS = 10 * 60_000;

interface KeyLogParts {
  /** Says the time, in milliseconds. */
  now: () => number;
  /** The keys that sign the heads of this base, and of no other one, unless `check` is told them. */
  keys: readonly HeadKey[];
  /** The address of the log without its scheme: `codase.example/.well-known/codase-log`. When absent, that of the first head counts. */
  address?: string | undefined;
  /** The head that was seen last, when there is one from before. */
  seen?: SeenHead | undefined;
}

/**
 * The transparency log of one base, as somebody sees it who reads public keys: each key is checked against a signed head, and each head
 * against the one before. A head of a log with a greater number is followed as well: the database of the base was restored.
 */
export class KeyLog {
  /** The newest head that was seen. */
  seen: SeenHead | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly parts: KeyLogParts) {
    this.seen = parts.seen;
  }

  /**
   * Asks for the proof of a key and checks it. Throws `KeyNotLogged`. Proofs are asked for side by side, and checked one after the other.
   * When another one has brought a newer head meanwhile, the proof is asked for again from that head.
   */
  async check<P extends KeyProof>(
    key: LoggedKey,
    ask: (seen: SeenHead | undefined) => Promise<P>,
    keysOf: (proof: P) => readonly HeadKey[] = () => this.parts.keys,
  ): Promise<P> {
    const from = this.seen;
    const first = await ask(from);
    const checked = this.last.then(async () => {
      const proof = from === this.seen ? first : await ask(this.seen);
      await this.verify(key, proof, keysOf(proof));
      return proof;
    });
    this.last = checked.catch(() => undefined);
    return checked;
  }

  private async verify(key: LoggedKey, proof: KeyProof, keys: readonly HeadKey[]): Promise<void> {
    const fail = (fault: KeyLogFault): never => {
      throw new KeyNotLogged(key, fault);
    };
    const head = (await readLogHead(proof.head, keys)) ?? fail('head');
    const address = this.parts.address ?? this.seen?.address ?? head.address;
    if (head.address !== address) fail('head');
    if (Math.abs(this.parts.now() - head.at.getTime()) > FRESH_MS) fail('stale');
    const [path, root] = [readHashes(proof.path) ?? fail('key'), readHashes([head.root])?.[0] ?? fail('head')];
    if (!(await this.extendsSeen(head, root, proof.consistency))) fail('history');
    const leaf = { hash: await keyLeaf(key, proof), number: proof.leaf };
    if (!(await isIncluded(leaf, { size: head.size, root }, path))) fail('key');
    const { log, size } = head;
    if (this.seen?.log !== log || this.seen.size !== size) this.seen = { address, log, size, root: head.root };
  }

  private async extendsSeen({ log, size }: LogHead, root: Uint8Array, consistency: KeyProof['consistency']): Promise<boolean> {
    const { seen } = this;
    if (!seen || log > seen.log) return true;
    const [path, before] = [readHashes(consistency ?? []), readHashes([seen.root])?.[0]];
    if (log < seen.log || !path || !before) return false;
    return isExtended({ from: { size: seen.size, root: before }, to: { size, root } }, path);
  }
}

/**
 * Returns the commitment to a key, in hexadecimal: the SHA-256 of canonical JSON (RFC 8785). The salt is deleted with its owner, and then
 * nobody can tell whose key it was.
 */
export const keyCommitment = ({ kind, owner, key_sha256 }: LoggedKey, salt: string): Promise<string> =>
  sha256Hex(new TextEncoder().encode(JSON.stringify({ key_sha256, kind, owner, salt })));

/** Returns the leaf of a key: that of the entry of the audit which has the commitment to the key and nothing else of it. */
async function keyLeaf(key: LoggedKey, { at, salt, entry_salt }: KeyProof): Promise<Uint8Array> {
  const entry = {
    account_id: null,
    act: 'key.logged',
    address: null,
    at,
    client_id: null,
    details: { commitment: await keyCommitment(key, salt) },
    initiator: 'platform',
    object: null,
    outcome: 'done',
    salt: entry_salt,
  };
  return merkleLeaf(fromHex(await sha256Hex(new TextEncoder().encode(JSON.stringify(entry)))));
}
