import { levelsOf } from './supervisor.ts';

const unit = (name: string, ...needs: string[]) => ({ name, needs, entry: '', env: {}, opsPort: 0 });

describe('the order of units', () => {
  it('puts each after those it needs, and lets the rest start together', () => {
    const levels = levelsOf([unit('gateway', 'front-door', 'region'), unit('front-door'), unit('region'), unit('flows', 'gateway')]);
    expect(levels.map((level) => level.map(({ name }) => name))).toEqual([['front-door', 'region'], ['gateway'], ['flows']]);
  });

  it('tells a need that nobody meets, and needs in a circle', () => {
    expect(() => levelsOf([unit('a', 'b')])).toThrow('a needs b, which is not in the stack');
    expect(() => levelsOf([unit('a', 'b'), unit('b', 'a'), unit('c')])).toThrow('these units need each other: a, b');
  });
});
