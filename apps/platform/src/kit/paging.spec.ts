import { pageOf, readCursor, writeCursor } from './paging.ts';

const place = { at: new Date('2026-01-01T12:00:00.123Z'), id: 'log_aB3-_' };

describe('a list in pages @gap D1-4.7', () => {
  it('goes on where a cursor says', () => {
    expect(readCursor(writeCursor(place))).toEqual(place);
    expect(readCursor(undefined)).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['no base64url', '***'],
    ['of something else', Buffer.from('hello').toString('base64url')],
    ['of a day that is none', Buffer.from('2026-13-01T12:00:00.000Z log_1').toString('base64url')],
    ['of a day that would move', Buffer.from('2026-02-31T12:00:00.000Z log_1').toString('base64url')],
    ['of a year that never was', Buffer.from('0000-01-01T00:00:00.000Z log_1').toString('base64url')],
    ['of an id that is none', Buffer.from("2026-01-01T12:00:00.000Z ' or 1=1").toString('base64url')],
    ['ours with an end added', `${writeCursor(place)}=`],
  ])('refuses a cursor that is %s', (_, cursor) => {
    expect(() => readCursor(cursor)).toThrow(expect.objectContaining({ key: 'request.invalid', status: 400 }));
  });

  const rows = ['a', 'b', 'c'];
  const positionOf = (id: string) => ({ at: place.at, id });

  it('names the last entry shown while more follow', () => {
    const { items, next_cursor } = pageOf(rows, 2, positionOf);

    expect(items).toEqual(['a', 'b']);
    expect(readCursor(next_cursor!)).toEqual(positionOf('b'));
  });

  it.each([[rows], [[]]])('ends with %j', (all) => {
    expect(pageOf(all, 3, positionOf)).toEqual({ items: all, next_cursor: null });
  });
});
