import { createHash } from 'node:crypto';

const HASH_BYTES = 32;

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The hash of a leaf and that of a node begin with another byte each, so that nobody can pass one off as the other (RFC 9162, 2.1.1). */
const [LEAF, NODE] = [Buffer.of(0), Buffer.of(1)];
export const leafHash = (content: Uint8Array): Buffer => sha256(LEAF, content);
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

/**
 * A Merkle tree of RFC 9162 that only grows. It keeps the roots of its complete subtrees, from left to right: they are all that is needed
 * to add leaves and to compute the root. Whoever keeps them can check that a later tree extends this one by its new leaves alone.
 */
export class MerkleTree {
  private constructor(
    public size: number,
    private readonly subtrees: Buffer[],
  ) {}

  static empty(): MerkleTree {
    return new MerkleTree(0, []);
  }

  /** Reads a tree from its size and the roots of its complete subtrees; undefined when there are more or fewer of them than a tree has. */
  static from(size: number, subtrees: Buffer): MerkleTree | undefined {
    if (subtrees.length !== HASH_BYTES * subtreesOf(size)) return undefined;
    const hashes = Array.from({ length: subtrees.length / HASH_BYTES }, (_, n) => subtrees.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES));
    return new MerkleTree(size, hashes);
  }

  /** The roots of the complete subtrees, one after the other. */
  get packed(): Buffer {
    return Buffer.concat(this.subtrees);
  }

  /** Adds a leaf: a subtree that is complete now takes in the one to its left of the same size, again and again. */
  add(leaf: Buffer): void {
    let hash = leaf;
    for (let left = this.size; left % 2 === 1; left = (left - 1) / 2) hash = nodeHash(this.subtrees.pop()!, hash);
    this.subtrees.push(hash);
    this.size += 1;
  }

  root(): Buffer {
    if (this.size === 0) return sha256();
    return this.subtrees.reduceRight((right, left) => nodeHash(left, right));
  }

  /** Returns the root of the complete subtree with so many leaves; undefined when there is none. */
  subtree(leaves: number): Buffer | undefined {
    const greater = Math.floor(this.size / leaves / 2);
    return Math.floor(this.size / leaves) % 2 === 1 ? this.subtrees[subtreesOf(greater)] : undefined;
  }

  copy(): MerkleTree {
    return new MerkleTree(this.size, [...this.subtrees]);
  }
}

/** A tree has a complete subtree for each 1 of its size as a binary number. */
const subtreesOf = (size: number): number => [...size.toString(2)].filter((digit) => digit === '1').length;
