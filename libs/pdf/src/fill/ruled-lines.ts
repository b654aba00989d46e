import { type Matrix, type Point, pointAt } from './matrix.ts';

/** A straight line that a page draws: the edge of a table's cell, a rule, the side of a box. */
export type RuledLine = readonly [Point, Point];

/** Lines beyond this number are not kept: a drawing has them, and a table does not. */
const MOST_LINES = 20_000;
/** How long a line must be at least, in units of the page. */
const SHORTEST = 2;

/** Collects the lines that a page draws. Values keep between them. */
export class RuledLines {
  readonly all: RuledLine[] = [];
  #path: RuledLine[] = [];
  #first: Point = [0, 0];
  #last: Point = [0, 0];

  moveTo(x: number, y: number, matrix: Matrix): void {
    this.#first = pointAt(x, y, matrix);
    this.#last = this.#first;
  }

  lineTo(x: number, y: number, matrix: Matrix): void {
    this.#add(pointAt(x, y, matrix));
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

  /** Takes the lines of the path: they are drawn. */
  paint(): void {
    for (const line of this.#path) if (this.all.length < MOST_LINES) this.all.push(line);
    this.#path = [];
  }

  discard(): void {
    this.#path = [];
  }

  #add(to: Point): void {
    const from = this.#last;
    this.#last = to;
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) > SHORTEST && this.#path.length < MOST_LINES) this.#path.push([from, to]);
  }
}
