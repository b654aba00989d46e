import type { FlowDefinition } from '@codase/contracts';
import fc from 'fast-check';
import { RANDOM_FLOW } from './random-flow.ts';

const STEPS = {
  start: 4,
  'start wrongly': 2,
  'start with a mishap': 1,
  answer: 10,
  'answer wrongly': 3,
  'answer as another': 3,
  'answer again': 3,
  'answer twice at once': 3,
  'answer with a mishap': 3,
  'answer while it is cancelled': 1,
  cancel: 1,
  'cancel with a mishap': 1,
  publish: 1,
  reconnect: 1,
} as const;

export interface Step {
  what: keyof typeof STEPS;
  dice: readonly number[];
}

export interface Game {
  versions: readonly FlowDefinition[];
  steps: readonly Step[];
}

const STEP: fc.Arbitrary<Step> = fc.record({
  what: fc.oneof(...Object.entries(STEPS).map(([what, weight]) => ({ weight, arbitrary: fc.constant(what as Step['what']) }))),
  dice: fc.noShrink(fc.array(fc.nat(999), { minLength: 12, maxLength: 12 })),
});

export const gamesOf = (steps: { least: number; most: number }): fc.Arbitrary<Game> =>
  fc.record({
    versions: fc.array(RANDOM_FLOW, { minLength: 2, maxLength: 2 }),
    steps: fc.array(STEP, { minLength: steps.least, maxLength: steps.most, size: 'max' }),
  });

/** Random numbers that were drawn before, so that a game can be played again. */
export class Dice {
  private next = 0;

  constructor(private readonly numbers: readonly number[]) {}

  pick<T>(list: readonly T[]): T {
    return list[this.number() % list.length]!;
  }

  isOneIn(n: number): boolean {
    return this.number() % n === 0;
  }

  private number(): number {
    return this.numbers[this.next++ % this.numbers.length]!;
  }
}
