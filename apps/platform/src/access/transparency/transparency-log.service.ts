import { Inject, Injectable } from '@nestjs/common';
import { LOG_PAGE, Refusal, type LogGrowth, type LogKept } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { AUDIT_DB } from '../../foundation/audit/index.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../../foundation/regions/index.ts';
import { FRONT_DOOR_BASE, SIGNING_KEYS, SigningKeys } from '../tokens/index.ts';
import { checkpointText, signedNote } from './checkpoint.ts';
import { notesOf } from './log-mirror.store.ts';
import { leavesFrom, readHead } from './log.store.ts';
import type { MerkleTree } from './merkle-tree.ts';
import { METRICS } from './metrics.ts';

const EVERY_MS = 60_000;

interface SignedHead {
  log: number;
  tree: MerkleTree;
  at: Date;
  note: Buffer;
}

/** Whether a tree has so many leaves, or is that of a later log. */
const reaches = (head: Pick<SignedHead, 'log' | 'tree'>, { log, size }: LogKept): boolean =>
  head.log > log || (head.log === log && head.tree.size >= size);

/** Returns the address of the log of a base without its scheme, by which heads name it. */
export function logAddress(bases: Bases, base: string): string {
  const url = base === FRONT_DOOR_BASE ? bases.front_door_url : apiUrlOf(bases, base)!;
  return `${new URL(url).host}/.well-known/codase-log`;
}

/** Signs the head of the transparency log once a minute, and hands its leaves out. @gap D1-8 */
@Injectable()
export class TransparencyLog {
  private head: SignedHead | undefined;
  private signing: Promise<SignedHead> | undefined;

  constructor(
    @Inject(AUDIT_DB) private readonly db: DataSource,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Returns the signed head, which is a minute old at most. Callers that come at once share one. */
  async checkpoint(): Promise<Buffer> {
    return (await this.current()).note;
  }

  /** Returns a page of the hashes of leaves, one after the other. The last page is shorter. The first page of a log is always there. */
  async leaves(log: number, page: number): Promise<Buffer> {
    const hashes = await leavesFrom(this.db, log, page * LOG_PAGE, LOG_PAGE);
    if (hashes.length === 0 && (page > 0 || log !== (await readHead(this.db)).log)) throw new Refusal('log.not_found');
    return Buffer.concat(hashes);
  }

  /**
   * Returns a signed head that has so many leaves, if the log has them. Anyone may ask: a head is signed before its minute is over only
   * when the log has grown.
   */
  async headFrom(wanted: LogKept): Promise<SignedHead> {
    const head = await this.current();
    if (reaches(head, wanted)) return head;
    const { log, tree } = await readHead(this.db);
    return tree && reaches({ log, tree }, wanted) ? this.currentFor(wanted) : head;
  }

  /** Returns the signed head, and the next leaves of the log behind those that another base holds. */
  async follow(kept: LogKept): Promise<LogGrowth> {
    const { log, tree, note } = await this.currentFor(kept);
    const next = log === kept.log ? Math.min(LOG_PAGE, tree.size - kept.size) : 0;
    const leaves = next > 0 ? await leavesFrom(this.db, log, kept.size, next) : [];
    return { note: note.toString(), subtrees: tree.packed.toString('base64'), leaves: Buffer.concat(leaves).toString('base64') };
  }

  /** Returns the heads that this base holds of another one. */
  mirror(base: string): Promise<string[]> {
    return notesOf(this.db, base);
  }

  private async current(): Promise<SignedHead> {
    const age = this.head ? this.clock.now().getTime() - this.head.at.getTime() : Infinity;
    return age >= 0 && age < EVERY_MS ? this.head! : this.renew();
  }

  /** Returns a head that is not older than the one that is held, which another replica may have signed just now. */
  private async currentFor(kept: LogKept): Promise<SignedHead> {
    const head = await this.current();
    if (reaches(head, kept)) return head;
    await this.signing?.catch(() => undefined); // it may have read the tree too early; its own caller hears of its failure
    return this.renew();
  }

  private async renew(): Promise<SignedHead> {
    this.signing ??= this.sign().finally(() => (this.signing = undefined));
    this.head = await this.signing;
    return this.head;
  }

  private async sign(): Promise<SignedHead> {
    const { log, tree } = await readHead(this.db);
    if (!tree || !(await this.extendsHead(log, tree))) {
      count(METRICS.headsRefused);
      this.log.error('the transparency log does not extend the one that was signed before: its head is not signed');
      throw new Refusal('service.unavailable');
    }
    const [at, origin, key] = [this.clock.now(), `${this.address()}/${log}`, this.keys.current];
    const text = checkpointText({ origin, tree, at });
    const note = signedNote(text, { origin }, { kid: key.kid, signature: await key.signing.sign(text) });
    return { log, tree, at, note: Buffer.from(note) };
  }

  /** Whether a tree has the leaves of the one that was signed before, and behind them those that are stored. */
  private async extendsHead(log: number, tree: MerkleTree): Promise<boolean> {
    if (!this.head || log > this.head.log) return true;
    if (log < this.head.log || tree.size < this.head.tree.size) return false;
    const extended = this.head.tree.copy();
    while (extended.size < tree.size) {
      const leaves = await leavesFrom(this.db, log, extended.size, Math.min(LOG_PAGE, tree.size - extended.size));
      if (leaves.length === 0) return false;
      for (const leaf of leaves) extended.add(leaf);
    }
    return extended.root().equals(tree.root());
  }

  private address(): string {
    return logAddress(this.bases, this.here.base === 'region' ? this.here.region : FRONT_DOOR_BASE);
  }
}
