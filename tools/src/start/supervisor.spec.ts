import { levelsOf } from './supervisor.ts';

const unit = (name: string, ...needs: string[]) => ({ name, needs, entry: '', env: {}, opsPort: 0 });

describe('the start order of units', () => {
  it('puts each unit after the units it needs, and starts independent units together', () => {
    const levels = levelsOf([unit('gateway', 'front-door', 'region'), unit('front-door'), unit('region'), unit('flows', 'gateway')]);
    expect(levels.map((level) => level.map(({ name }) => name))).toEqual([['front-door', 'region'], ['gateway'], ['flows']]);
  });

  it('reports an unknown unit and a circular dependency', () => {
    expect(() => levelsOf([unit('a', 'b')])).toThrow('a needs b, which is not in the stack');
    expect(() => levelsOf([unit('a', 'b'), unit('b', 'a'), unit('c')])).toThrow('these units need each other: a, b');
  });
});
