import { Inject, Injectable } from '@nestjs/common';
import type { LogGrowth } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { AUDIT_DB } from '../../foundation/audit/index.ts';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { SIGNING_KEYS, SigningKeys } from '../tokens/index.ts';
import { isSignedBy, readNote } from './checkpoint.ts';
import { FOLLOWED_LOGS, type FollowedLogs } from './followed-logs.service.ts';
import { keepHead, keptHeadOf } from './log-mirror.store.ts';
import { MerkleTree } from './merkle-tree.ts';
import { METRICS } from './metrics.ts';
import { logAddress } from './transparency-log.service.ts';

const EVERY_MS = 60_000;
/** How often the worker looks whether a minute is over. */
const ROUND_MS = 5000;
/** How long the leaves of one base may take to read. A base far behind is read at tens of millions of leaves in that time. */
const READING_MS = 45_000;
/** A head is signed each minute; an older one hides what was done since. */
const FRESH_MS = 10 * 60_000;
const HASH_BYTES = 32;

/** A head whose signature is that of its base. */
interface SignedHead {
  log: number;
  size: number;
  root: string;
  at: Date;
}
type Kept = Awaited<ReturnType<typeof keptHeadOf>>;

/**
 * Keeps the newest signed heads of the other bases: once a minute it asks each of them, and holds the answer when the new head extends the
 * one that is held. So a base in the wrong hands cannot show another history than before, also when its process was restarted. @gap D1-8
 */
@Injectable()
export class LogMirror extends PeriodicWorker {
  private readonly requestedAt = new Map<string, number>();

  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    @Inject(FOLLOWED_LOGS) private readonly logs: FollowedLogs,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'log_mirror', everyMs: ROUND_MS, failure: 'the heads of other bases are not mirrored' }, log);
  }

  async round(): Promise<void> {
    const now = this.clock.now().getTime();
    const due = this.logs.bases.filter((base) => Math.abs(now - (this.requestedAt.get(base) ?? -Infinity)) >= EVERY_MS);
    for (const base of due) this.requestedAt.set(base, now);
    await Promise.all(due.map((base) => this.follow(base)));
  }

  private async follow(base: string): Promise<void> {
    const named = { 'codase.base': base };
    try {
      const isTaken = await this.take(base);
      count(METRICS.headsMirrored, { ...named, 'codase.outcome': isTaken ? 'taken' : 'refused' });
      if (!isTaken) this.log.error('the head that another base shows is refused: the one that is held is not part of its log', named);
    } catch (error) {
      count(METRICS.headsMirrored, { ...named, 'codase.outcome': 'failed' });
      this.log.warn('the head of another base is read later', { ...named, error });
    }
  }

  /** Asks a base for its head, and holds it. Returns false for a head that is refused. */
  private async take(base: string): Promise<boolean> {
    const kept = await keptHeadOf(this.db, base);
    const growth = await this.logs.ask(base, { log: kept?.log ?? 0, size: kept?.size ?? 0 });
    const head = this.signedHead(base, growth.note);
    if (!head) return false;
    if (Math.abs(this.clock.now().getTime() - head.at.getTime()) > FRESH_MS) throw new Error('the head is not of the last minutes');
    const tree = kept && kept.log >= head.log ? await this.extended(base, kept, head, growth) : firstTree(head, growth);
    if (tree?.root().toString('base64') !== head.root) return false;
    if (kept && kept.log < head.log) this.log.warn('another base began a new log, as after a restore', { 'codase.base': base });
    const { log, at } = head;
    await keepHead(this.db, { base, log, tree, note: growth.note, at }, kept?.log === log ? kept.size : -1);
    return true;
  }

  /** Reads a head; undefined when it is that of another log, or no key of the base signed it. */
  private signedHead(base: string, text: string): SignedHead | undefined {
    const note = readNote(text);
    const address = `${logAddress(this.bases, base)}/`;
    if (!note?.origin.startsWith(address) || !this.keys.ofBase(base).some(({ publicKey }) => isSignedBy(note, publicKey))) return undefined;
    const { size, root, at } = note;
    const number = note.origin.slice(address.length);
    return /^[1-9]\d{0,8}$/.test(number) ? { log: Number(number), size, root, at } : undefined;
  }

  /** Adds the new leaves to the tree that is held, up to the size of the head; undefined when the head does not extend it. */
  private async extended(base: string, kept: NonNullable<Kept>, head: SignedHead, growth: LogGrowth): Promise<MerkleTree | undefined> {
    const tree = MerkleTree.from(kept.size, kept.subtrees)!;
    if (head.log !== kept.log || head.size < tree.size) return undefined;
    const endsAt = performance.now() + READING_MS;
    for (let { leaves } = growth; tree.size < head.size;) {
      const hashes = Buffer.from(leaves, 'base64');
      if (hashes.length < HASH_BYTES) return undefined;
      for (let at = 0; at + HASH_BYTES <= hashes.length && tree.size < head.size; at += HASH_BYTES)
        tree.add(hashes.subarray(at, at + HASH_BYTES));
      if (performance.now() > endsAt) throw new Error('the other base shows its leaves too slowly');
      if (tree.size < head.size) ({ leaves } = await this.logs.ask(base, { log: kept.log, size: tree.size }));
    }
    return tree;
  }
}

/** Returns the tree of a log of which nothing is held yet: its base is trusted for what was before. */
const firstTree = ({ size }: SignedHead, { subtrees }: LogGrowth): MerkleTree | undefined =>
  MerkleTree.from(size, Buffer.from(subtrees, 'base64'));
