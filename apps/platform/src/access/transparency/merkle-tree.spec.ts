import { createHash } from 'node:crypto';
import { leafHash, MerkleTree } from './merkle-tree.ts';

const hash = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** The root as RFC 9162 defines it, in 2.1.1. */
function mth(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return hash();
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (k * 2 < leaves.length) k *= 2;
  return hash(Buffer.of(1), mth(leaves.slice(0, k)), mth(leaves.slice(k)));
}

const leaves = Array.from({ length: 130 }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)));

describe('MerkleTree', () => {
  it('has the root of RFC 9162 at every size', () => {
    const tree = MerkleTree.empty();
    expect(tree.root()).toEqual(mth([]));
    leaves.forEach((leaf, n) => {
      tree.add(leaf);
      expect(tree.root()).toEqual(mth(leaves.slice(0, n + 1)));
    });
  });

  it('has the roots that the first certificate transparency log published for its test leaves', () => {
    const known = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const tree = MerkleTree.empty();
    for (const leaf of known) tree.add(leafHash(Buffer.from(leaf, 'hex')));
    expect(tree.root().toString('hex')).toBe('5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328');
  });

  it('goes on from its complete subtrees as if it had never stopped', () => {
    for (const size of [0, 1, 6, 64, 129]) {
      const first = MerkleTree.empty();
      for (const leaf of leaves.slice(0, size)) first.add(leaf);
      const next = MerkleTree.from(size, first.packed)!;
      for (const leaf of leaves.slice(size)) next.add(leaf);
      expect(next.root()).toEqual(mth(leaves));
      expect(first.root()).toEqual(mth(leaves.slice(0, size)));
    }
  });

  it('is not read from a number of subtrees that does not fit its size', () => {
    expect(MerkleTree.from(3, Buffer.alloc(32))).toBeUndefined();
    expect(MerkleTree.from(2, Buffer.alloc(31))).toBeUndefined();
  });
});
