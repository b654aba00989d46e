import { newId } from './ids.ts';

describe('newId', () => {
  const ids = Array.from({ length: 5000 }, () => newId('evt'));

  it('returns a prefix and 24 characters, and never the same id twice', () => {
    expect(ids.every((id) => /^evt_[0-9A-Za-z]{24}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('uses each character about equally often', () => {
    const counts = new Map<string, number>();
    for (const letter of ids.flatMap((id) => id.slice(4).split(''))) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const even = (ids.length * 24) / 62;

    expect(counts.size).toBe(62);
    for (const count of counts.values()) expect(Math.abs(count - even)).toBeLessThan(even / 4);
  });
});
