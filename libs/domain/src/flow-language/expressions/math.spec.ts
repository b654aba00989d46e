import fc from 'fast-check';
import type { MathOp, Scalar } from '../definition/definition.ts';
import { lit, math } from '../rental-flow.check.ts';
import { compilation } from './compilation.ts';
import { compileExpr } from './expression.ts';
import { takes } from './math.ts';

const compute = (op: MathOp, ...args: Scalar[]) => compileExpr(math(op, ...args.map((arg) => lit(arg))), compilation(new Map()))({}, null);

describe('a math expression @spec D2-2.5.3', () => {
  it.each<[MathOp, Scalar[], number | null]>([
    ['add', [1, 2, 3.5], 6.5],
    ['add', [4], 4],
    ['add', ['2', ' 3 '], 5],
    ['add', [1e308, 1e308], null],
    ['add', [0.1, 0.2], 0.1 + 0.2],
    ['mul', [2, 3, -4], -24],
    ['mul', [7], 7],
    ['mul', [1e200, 1e200, 0], null],
    ['sub', [5, 7], -2],
    ['div', [1, 4], 0.25],
    ['div', [1, 0], null],
    ['div', [0, 0], null],
    ['div', [0, -5], 0],
    ['div', [1, '1e999'], null],
    ['mod', [7, 3], 1],
    ['mod', [-7, 3], -1],
    ['mod', [7, -3], 1],
    ['mod', [-6, 3], 0],
    ['mod', [7, 0], null],
    ['round', [2.5], 3],
    ['round', [-2.5], -3],
    ['round', [2.4], 2],
    ['round', [-0.4], 0],
    ['round', [0.49999999999999994], 0],
    ['floor', [-1.5], -2],
    ['ceil', [-1.5], -1],
    ['ceil', [-0.5], 0],
    ['abs', [-3], 3],
    ['neg', [3], -3],
    ['neg', [0], 0],
    ['max', [1, 5, 3], 5],
    ['max', ['x', null, true, 2], 2],
    ['max', [-1], -1],
    ['max', ['x', null], null],
    ['max', [1, '1e999'], null],
    ['min', [1, '-5', 3], -5],
    ['min', [null, 4], 4],
    ['min', [false], null],
    ['min', [1, '-1e999'], null],
  ])('%s of %j is %s', (op, args, result) => {
    expect(compute(op, ...args)).toBe(result);
  });

  it.each<MathOp>(['add', 'sub', 'mul', 'div', 'mod'])('evaluates %s to null with a null, a boolean or non-numeric text', (op) => {
    for (const bad of [null, true, 'x', '']) {
      expect(compute(op, bad, 1)).toBeNull();
      expect(compute(op, 1, bad)).toBeNull();
    }
  });

  it.each<MathOp>(['round', 'floor', 'ceil', 'abs', 'neg'])('requires one argument for %s and evaluates it to null with null', (op) => {
    expect([0, 1, 2].map((count) => takes(op, count))).toEqual([false, true, false]);
    expect(compute(op, null)).toBeNull();
    expect(compute(op)).toBeNull();
    expect(compute(op, 1, 2)).toBeNull();
  });

  it.each<MathOp>(['sub', 'div', 'mod'])('requires two arguments for %s', (op) => {
    expect([1, 2, 3].map((count) => takes(op, count))).toEqual([false, true, false]);
    expect(compute(op, 8)).toBeNull();
    expect(compute(op, 8, 4, 2)).toBeNull();
  });

  it.each<MathOp>(['add', 'mul', 'max', 'min'])('requires at least one argument for %s', (op) => {
    expect([0, 1, 200].map((count) => takes(op, count))).toEqual([false, true, true]);
    expect(compute(op)).toBeNull();
  });

  it('rounds halves away from zero, symmetrically for negative numbers', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e15, max: 1e15, noNaN: true }), (value) => {
        const rounded = compute('round', value) as number;
        expect(Number.isInteger(rounded)).toBe(true);
        expect(compute('round', -value)).toBe(-rounded + 0);
        expect(Math.abs(rounded - value)).toBeLessThanOrEqual(0.5);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), (n) => {
        expect(compute('round', n + 0.5)).toBe(n + 1);
      }),
    );
  });
});
