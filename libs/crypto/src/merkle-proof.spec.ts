import { isExtended, isIncluded, merkleLeaf } from './merkle-proof.ts';

const node = async (left: Uint8Array, right: Uint8Array) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', Buffer.concat([Buffer.of(1), left, right])));
const split = (size: number) => 2 ** Math.ceil(Math.log2(size) - 1);

/** The definitions of RFC 9162, 2.1, word for word and as slow. */
async function rootOf(leaves: Uint8Array[]): Promise<Uint8Array> {
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return node(await rootOf(leaves.slice(0, k)), await rootOf(leaves.slice(k)));
}
async function inclusion(m: number, leaves: Uint8Array[]): Promise<Uint8Array[]> {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k ? [...(await inclusion(m, left)), await rootOf(right)] : [...(await inclusion(m - k, right)), await rootOf(left)];
}
async function consistency(m: number, leaves: Uint8Array[], isWhole = true): Promise<Uint8Array[]> {
  if (m === leaves.length) return isWhole ? [] : [await rootOf(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k
    ? [...(await consistency(m, left, isWhole)), await rootOf(right)]
    : [...(await consistency(m - k, right, false)), await rootOf(left)];
}

const SIZES = Array.from({ length: 20 }, (_, n) => n + 1);

describe('proofs of a Merkle tree @gap D1-8', () => {
  let leaves: Uint8Array[];
  let roots: Uint8Array[];
  beforeAll(async () => {
    leaves = await Promise.all(SIZES.map((n) => merkleLeaf(Buffer.of(n))));
    roots = [new Uint8Array(), ...(await Promise.all(SIZES.map((size) => rootOf(leaves.slice(0, size)))))];
  });
  const tree = (size: number) => ({ size, root: roots[size]! });

  it('show each leaf in each tree, at its own number alone', async () => {
    for (const size of SIZES)
      for (let number = 0; number < size; number++) {
        const path = await inclusion(number, leaves.slice(0, size));
        for (let at = 0; at <= size; at++)
          expect(await isIncluded({ hash: leaves[number]!, number: at }, tree(size), path)).toBe(at === number);
      }
  });

  it('show no other leaf, and none by a path that was cut, made longer, or is of another tree', async () => {
    const path = await inclusion(5, leaves.slice(0, 13));
    const shows = (hash: Uint8Array, to: number, by: Uint8Array[]) => isIncluded({ hash, number: 5 }, tree(to), by);

    expect(await shows(leaves[5]!, 13, path)).toBe(true);
    expect(await shows(leaves[6]!, 13, path)).toBe(false);
    expect(await shows(leaves[5]!, 14, path)).toBe(false);
    expect(await shows(leaves[5]!, 13, path.slice(1))).toBe(false);
    expect(await shows(leaves[5]!, 13, [...path, leaves[0]!])).toBe(false);
    expect(await shows(leaves[5]!, 13, [])).toBe(false);
  });

  it('show that each tree extends each earlier one', async () => {
    for (const to of SIZES)
      for (const from of SIZES.slice(0, to))
        expect(await isExtended({ from: tree(from), to: tree(to) }, await consistency(from, leaves.slice(0, to)))).toBe(true);
    expect(await isExtended({ from: tree(0), to: tree(3) }, [])).toBe(true);
  });

  it('do not show it of a forked, a smaller, or another tree', async () => {
    const forked = await rootOf([await merkleLeaf(Buffer.of(99)), ...leaves.slice(1, 13)]);
    for (const from of [4, 6, 8, 12]) {
      const path = await consistency(from, leaves.slice(0, 13));
      expect(await isExtended({ from: tree(from), to: { size: 13, root: forked } }, path)).toBe(false);
      expect(await isExtended({ from: { size: from, root: roots[from - 1]! }, to: tree(13) }, path)).toBe(false);
      expect(await isExtended({ from: tree(from), to: tree(13) }, [])).toBe(false);
      expect(await isExtended({ from: tree(from), to: tree(13) }, [...path, forked])).toBe(false);
      expect(await isExtended({ from: tree(13), to: tree(from) }, path)).toBe(false);
    }
    expect(await isExtended({ from: tree(13), to: { size: 13, root: forked } }, [])).toBe(false);
  });
});
