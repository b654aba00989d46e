/** The six numbers of an affine transformation, as PDF writes them. */
export type Matrix = readonly [number, number, number, number, number, number];

export type Point = readonly [x: number, y: number];

/** An upright rectangle. */
export type Bounds = readonly [left: number, bottom: number, right: number, top: number];

/** Further away than any page reaches. It is finite, so that it can be multiplied by nothing. */
const FAR = 1e9;
export const EVERYWHERE: Bounds = [-FAR, -FAR, FAR, FAR];
export const NOWHERE: Bounds = [FAR, FAR, -FAR, -FAR];

/** Returns the rectangle in which two rectangles overlap. */
export const overlap = (a: Bounds, b: Bounds): Bounds => [
  Math.max(a[0], b[0]),
  Math.max(a[1], b[1]),
  Math.min(a[2], b[2]),
  Math.min(a[3], b[3]),
];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the transformation that does `a` first and then `b`. */
export const times = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
];

export const moved = (x: number, y: number, matrix: Matrix): Matrix => times([1, 0, 0, 1, x, y], matrix);

/** Returns the upright rectangle around a rectangle that is transformed. */
export function boundsOf([left, bottom, right, top]: Bounds, matrix: Matrix): Bounds {
  const points = [pointAt(left, bottom, matrix), pointAt(right, bottom, matrix), pointAt(left, top, matrix), pointAt(right, top, matrix)];
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
}

export const pointAt = (x: number, y: number, m: Matrix): Point => [m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]];
