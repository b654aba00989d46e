import { isBehind } from './restore-mark.ts';

const at = (epoch: number, txid: string, seq: string) => ({ epoch, txid, seq });

describe('isBehind', () => {
  it.each([
    [at(1, '10', '5'), at(1, '10', '6')],
    [at(1, '9', '7'), at(1, '10', '6')],
    [at(1, '900', '7'), at(2, '10', '6')],
    [at(0, '0', '0'), at(1, '1', '1')],
  ])('is true for a database whose last act is %j when the mark is %j', (position, mark) => {
    expect(isBehind(position, mark)).toBe(true);
    expect(isBehind(mark, position)).toBe(false);
  });

  it('is false when database and mark are equal, or when there is no mark', () => {
    expect(isBehind(at(1, '10', '5'), at(1, '10', '5'))).toBe(false);
    expect(isBehind(at(0, '0', '0'), undefined)).toBe(false);
  });
});
