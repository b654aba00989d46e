import { isBehind } from './restore-mark.ts';

const at = (epoch: number, txid: string, seq: string) => ({ epoch, txid, seq });

describe('a database is behind its mark', () => {
  it.each([
    [at(1, '10', '5'), at(1, '10', '6')],
    [at(1, '9', '7'), at(1, '10', '6')],
    [at(1, '900', '7'), at(2, '10', '6')],
    [at(0, '0', '0'), at(1, '1', '1')],
  ])('when its last act is %j and the mark says %j', (position, mark) => {
    expect(isBehind(position, mark)).toBe(true);
    expect(isBehind(mark, position)).toBe(false);
  });

  it('and not when both say the same, or nobody has marked anything', () => {
    expect(isBehind(at(1, '10', '5'), at(1, '10', '5'))).toBe(false);
    expect(isBehind(at(0, '0', '0'), undefined)).toBe(false);
  });
});
