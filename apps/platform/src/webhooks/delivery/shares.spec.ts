import { Shares } from './shares.ts';

describe('places that owners share', () => {
  const filled = (shares: Shares, owner: string): number => {
    let taken = 0;
    for (; shares.hasRoom(owner); taken++) shares.take(owner);
    return taken;
  };

  it('are half of all for one who is alone, and leave some for whoever comes next', () => {
    const shares = new Shares(64);

    expect(['a', 'b', 'c', 'd', 'e'].map((owner) => filled(shares, owner))).toEqual([32, 16, 8, 4, 2]);
    expect(shares.hasRoom('f')).toBe(true);
  });

  it('are free again when they are given back', () => {
    const shares = new Shares(2);
    const leave = shares.take('a');

    expect([shares.hasRoom('a'), shares.hasRoom('b')]).toEqual([false, true]);
    leave();
    expect(shares.hasRoom('a')).toBe(true);
  });
});
