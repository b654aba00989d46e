import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AUDIT_DB } from '../../foundation/audit/index.ts';
import { batchEndFrom, leavesFrom } from './log.store.ts';
import { leftSize } from './merkle-proofs.ts';
import { MerkleTree, nodeHash } from './merkle-tree.ts';

/** So many leaves are read at once. A batch that is added has fewer, so some batch ends in each range of as many. */
const BLOCK = 512;
/** Nodes of complete subtrees never change, and those near the root are part of every proof: 20,000 of them are two megabytes. */
const MAX_NODES = 20_000;

/**
 * The nodes of the transparency log, computed from its leaves and from the roots at the ends of batches. A proof in a log of a hundred
 * million leaves reads at most about 200 short rows and 20 blocks, and a fraction of them when nodes are known from the proofs before.
 */
@Injectable()
export class LogNodes {
  private readonly known = new Map<string, Buffer>();

  constructor(@Inject(AUDIT_DB) private readonly db: DataSource) {}

  /** Returns the root of the leaves from one number up to another one. */
  async root(log: number, from: number, to: number): Promise<Buffer> {
    if (to - from <= BLOCK) return this.ofLeaves(log, from, to);
    const width = leftSize(to - from);
    const isComplete = to - from === 2 * width;
    const name = `${log} ${from} ${to}`;
    const found = isComplete ? (this.known.get(name) ?? (await this.stored(log, from, to))) : undefined;
    const hash = found ?? nodeHash(await this.root(log, from, from + width), await this.root(log, from + width, to));
    if (isComplete) this.remember(name, hash);
    return hash;
  }

  private async ofLeaves(log: number, from: number, to: number): Promise<Buffer> {
    const tree = MerkleTree.empty();
    for (const leaf of await leavesFrom(this.db, log, from, to - from)) tree.add(leaf);
    if (tree.size !== to - from) throw new Error('leaves of the log are missing');
    return tree.root();
  }

  /**
   * Returns the root of a complete subtree that some batch ended behind, while it was the last one of its size: then its number among the
   * subtrees of that size is even.
   */
  private async stored(log: number, from: number, to: number): Promise<Buffer | undefined> {
    const width = to - from;
    if ((from / width) % 2 === 1) return undefined;
    const end = await batchEndFrom(this.db, log, to - 1, to - 1 + width);
    return end && MerkleTree.from(end.size, end.subtrees)?.subtree(width);
  }

  private remember(name: string, hash: Buffer): void {
    this.known.delete(name);
    this.known.set(name, hash);
    if (this.known.size > MAX_NODES) this.known.delete(this.known.keys().next().value!);
  }
}
