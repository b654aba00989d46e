import { BEGINNING, readCursor, writeCursor } from './cursor.ts';

describe('audit cursor', () => {
  it('decodes to the position that it was made from, and a missing one to the beginning', () => {
    const position = { epoch: 2, txid: '123456789012345678', seq: '7' };
    expect(readCursor(writeCursor(position))).toEqual(position);
    expect(readCursor(undefined)).toEqual(BEGINNING);
  });

  it.each(['', '1', '1.2', '1.2.x', '1.2.3.4', '-1.2.3', "1.2.3'"])('is rejected when it is malformed: %j', (text) => {
    expect(() => readCursor(text)).toThrow('after: must be the cursor of an earlier answer');
  });
});
