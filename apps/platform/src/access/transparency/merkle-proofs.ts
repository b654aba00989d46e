/** Returns the root of the tree over the leaves from one number up to another one, which is not part of it. */
export type RootOf = (from: number, to: number) => Promise<Buffer>;

/** Returns the largest power of two below a number of leaves: where RFC 9162 divides a tree. */
export function leftSize(size: number): number {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

/** Returns the path from a leaf to the root of a tree (RFC 9162, 2.1.3.1). */
export async function inclusionPath(rootOf: RootOf, leaf: number, to: number, from = 0): Promise<Buffer[]> {
  if (to - from === 1) return [];
  const middle = from + leftSize(to - from);
  return leaf < middle
    ? [...(await inclusionPath(rootOf, leaf, middle, from)), await rootOf(middle, to)]
    : [...(await inclusionPath(rootOf, leaf, to, middle)), await rootOf(from, middle)];
}

/** Returns the path from a tree to a later one that has its leaves (RFC 9162, 2.1.4.1). */
export const consistencyPath = async (rootOf: RootOf, size: number, to: number): Promise<Buffer[]> =>
  size === 0 ? [] : subproof(rootOf, size, { from: 0, to, isWhole: true });

/** `isWhole` says that the range begins as the earlier tree does, so that its root is known to whoever reads the path. */
async function subproof(
  rootOf: RootOf,
  size: number,
  { from, to, isWhole }: { from: number; to: number; isWhole: boolean },
): Promise<Buffer[]> {
  if (size === to) return isWhole ? [] : [await rootOf(from, to)];
  const middle = from + leftSize(to - from);
  return size <= middle
    ? [...(await subproof(rootOf, size, { from, to: middle, isWhole })), await rootOf(middle, to)]
    : [...(await subproof(rootOf, size, { from: middle, to, isWhole: false })), await rootOf(from, middle)];
}
