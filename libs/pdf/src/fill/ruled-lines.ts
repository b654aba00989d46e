import { type Bounds, EVERYWHERE, type Matrix, NOWHERE, type Point, pointAt } from './matrix.ts';

/** A straight line that a page draws: the edge of a table's cell, a rule, the side of a box. */
type RuledLine = readonly [Point, Point];

/** Lines beyond this number are not kept: a drawing has them, and a table does not. */
const MAX_LINES = 20_000;
/** How long a line must be at least, in units of the page. */
const SHORTEST = 2;

/** Collects the lines that a page draws. Values keep between them. */
export class RuledLines {
  readonly all: RuledLine[] = [];
  #path: RuledLine[] = [];
  #first: Point = [0, 0];
  #last: Point = [0, 0];
  #bounds: Bounds = NOWHERE;
  #clips = false;

  moveTo(x: number, y: number, matrix: Matrix): void {
    this.#first = pointAt(x, y, matrix);
    this.#last = this.#first;
    this.#reach(this.#first);
  }

  lineTo(x: number, y: number, matrix: Matrix): void {
    this.#add(pointAt(x, y, matrix));
  }

  /** Goes along a curve, which stays between its control points. A curve is not a ruled line. */
  curveTo(points: readonly Point[], matrix: Matrix): void {
    for (const [x, y] of points) {
      this.#last = pointAt(x, y, matrix);
      this.#reach(this.#last);
    }
  }

  rectangle([x, y, width, height]: readonly [number, number, number, number], matrix: Matrix): void {
    this.moveTo(x, y, matrix);
    this.lineTo(x + width, y, matrix);
    this.lineTo(x + width, y + height, matrix);
    this.lineTo(x, y + height, matrix);
    this.close();
  }

  close(): void {
    this.#add(this.#first);
  }

  /** Notes that what comes after the path is seen only inside it. */
  clip(): void {
    this.#clips = true;
  }

  /** Takes the lines of the path: they are drawn. Returns the bounds that the path sets to what comes after it. */
  paint(): Bounds {
    for (const line of this.#path) if (this.all.length < MAX_LINES) this.all.push(line);
    return this.discard();
  }

  discard(): Bounds {
    const bounds = this.#clips ? this.#bounds : EVERYWHERE;
    this.#path = [];
    this.#bounds = NOWHERE;
    this.#clips = false;
    return bounds;
  }

  #reach([x, y]: Point): void {
    const [left, bottom, right, top] = this.#bounds;
    this.#bounds = [Math.min(left, x), Math.min(bottom, y), Math.max(right, x), Math.max(top, y)];
  }

  #add(to: Point): void {
    const from = this.#last;
    this.#last = to;
    this.#reach(to);
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) > SHORTEST && this.#path.length < MAX_LINES) this.#path.push([from, to]);
  }
}
