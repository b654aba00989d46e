import { linesOf, move, to, type Table } from './table.ts';

const LAMP: Table<'none' | 'off' | 'on', 'build' | 'press' | 'break', 'hum' | 'glow'> = {
  none: { build: to('off') },
  off: { press: to('on', 'hum', 'glow') },
  on: { press: to('off') },
};

describe('a state table', () => {
  it('returns the next state and the effects of a signal', () => {
    expect(move(LAMP, 'off', 'press')).toEqual({ next: 'on', also: ['hum', 'glow'] });
    expect(move(LAMP, 'on', 'press')).toEqual({ next: 'off', also: [] });
  });

  it('allows no transition that it does not contain', () => {
    expect(move(LAMP, 'none', 'press')).toBeUndefined();
    expect(move(LAMP, 'on', 'break')).toBeUndefined();
  });

  it('prints one line per transition', () => {
    expect(linesOf(LAMP)).toEqual(['none, build: off', 'off, press: on, hum, glow', 'on, press: off']);
  });

  it('has no transition back to none', () => {
    // @ts-expect-error no move leads to none
    const gone: typeof LAMP = { ...LAMP, on: { break: to('none') } };
    expect(gone.on.break?.next).toBe('none');
  });
});
