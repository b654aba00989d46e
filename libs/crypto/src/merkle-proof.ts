import { concatBytes, sameBytes, type Bytes } from './bytes.ts';

/** The roots of two trees, of which the second one is to have all leaves of the first one. */
interface Grown {
  from: { size: number; root: Uint8Array };
  to: { size: number; root: Uint8Array };
}

const sha256 = async (...parts: Uint8Array[]): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', concatBytes(...parts)));

/** The hashes of a leaf and of a node begin with another byte each, so that nobody can pass one off as the other (RFC 9162, 2.1.1). */
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];
export const merkleLeaf = (content: Uint8Array): Promise<Bytes> => sha256(LEAF, content);
const nodeOf = (left: Uint8Array, right: Uint8Array): Promise<Bytes> => sha256(NODE, left, right);

const isOdd = (n: number): boolean => n % 2 === 1;
const half = (n: number): number => Math.floor(n / 2);

/** Whether the path leads from a leaf to the root of a tree (RFC 9162, 2.1.3.2). */
export async function isIncluded(
  { hash, number }: { hash: Uint8Array; number: number },
  { size, root }: Grown['to'],
  path: readonly Uint8Array[],
): Promise<boolean> {
  if (number >= size) return false;
  let [fn, sn, reached] = [number, size - 1, hash];
  for (const next of path) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      reached = await nodeOf(next, reached);
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      reached = await nodeOf(reached, next);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && sameBytes(reached, root);
}

/** Whether the path shows that a tree has the leaves of an earlier one, and then others (RFC 9162, 2.1.4.2). */
export async function isExtended({ from, to }: Grown, path: readonly Uint8Array[]): Promise<boolean> {
  if (from.size > to.size) return false;
  if (from.size === to.size) return path.length === 0 && sameBytes(from.root, to.root);
  if (from.size === 0) return true;
  const [first, ...rest] = Number.isInteger(Math.log2(from.size)) ? [from.root, ...path] : path;
  if (!first) return false;
  let [fn, sn, before, after] = [from.size - 1, to.size - 1, first, first];
  while (isOdd(fn)) [fn, sn] = [half(fn), half(sn)];
  for (const next of rest) {
    if (sn === 0) return false;
    if (isOdd(fn) || fn === sn) {
      [before, after] = [await nodeOf(next, before), await nodeOf(next, after)];
      while (!isOdd(fn) && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      after = await nodeOf(after, next);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && sameBytes(before, from.root) && sameBytes(after, to.root);
}
