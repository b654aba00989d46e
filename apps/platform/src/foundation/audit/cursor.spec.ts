import { BEGINNING, readCursor, writeCursor } from './cursor.ts';

describe('the cursor of the audit', () => {
  it('is read as it was written, and none is the beginning', () => {
    const position = { epoch: 2, txid: '123456789012345678', seq: '7' };
    expect(readCursor(writeCursor(position))).toEqual(position);
    expect(readCursor(undefined)).toEqual(BEGINNING);
  });

  it.each(['', '1', '1.2', '1.2.x', '1.2.3.4', '-1.2.3', "1.2.3'"])('is refused where it is none: %j', (text) => {
    expect(() => readCursor(text)).toThrow('after: must be the cursor of an earlier answer');
  });
});
