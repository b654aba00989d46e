import { Inject, Injectable } from '@nestjs/common';
import { LOG_PAGE, Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { AUDIT_DB } from '../../foundation/audit/index.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../../foundation/regions/index.ts';
import { SIGNING_KEYS, SigningKeys } from '../tokens/index.ts';
import { checkpointText, signedNote } from './checkpoint.ts';
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
    const age = this.head ? this.clock.now().getTime() - this.head.at.getTime() : Infinity;
    if (age >= 0 && age < EVERY_MS) return this.head!.note;
    this.signing ??= this.sign().finally(() => (this.signing = undefined));
    this.head = await this.signing;
    return this.head.note;
  }

  /** Returns a page of the hashes of leaves, one after the other. The last page is shorter, and empty when there is none. */
  async leaves(log: number, page: number): Promise<Buffer> {
    return Buffer.concat(await leavesFrom(this.db, log, page * LOG_PAGE, LOG_PAGE));
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
    const url = this.here.base === 'region' ? apiUrlOf(this.bases, this.here.region)! : this.bases.front_door_url;
    return `${new URL(url).host}/.well-known/codase-log`;
  }
}
