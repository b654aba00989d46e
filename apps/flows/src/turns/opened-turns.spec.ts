import { OpenedTurns } from './opened-turns.ts';

describe('turns that were opened', () => {
  let now = 0;
  const turns = new OpenedTurns<string>(2, () => now);

  it('stay until they are over, by their time or by their answer', () => {
    turns.put('a', 'one', 10);
    turns.put('b', 'two', 60);
    expect([turns.get('a'), turns.get('b'), turns.get('c')]).toEqual(['one', 'two', undefined]);

    now = 10_000;
    expect(turns.get('a')).toBeUndefined();
    expect(turns.size).toBe(1);
    turns.delete('b');
    expect(turns.size).toBe(0);
  });

  it('are no more than so many: the oldest goes first', () => {
    for (const hold of ['a', 'b', 'c']) turns.put(hold, hold, 60);
    expect([turns.get('a'), turns.get('b'), turns.get('c')]).toEqual([undefined, 'b', 'c']);
    turns.put('b', 'again', 60);
    turns.put('d', 'd', 60);
    expect([turns.get('b'), turns.get('c'), turns.get('d')]).toEqual(['again', undefined, 'd']);
  });
});
