import { pageOf, readCursor, writeCursor } from './paging.ts';

const position = { at: new Date('2026-01-01T12:00:00.123Z'), id: 'log_aB3-_' };

describe('cursor of a paged list @gap D1-4.7', () => {
  it('decodes to the position that it was made from', () => {
    expect(readCursor(writeCursor(position))).toEqual(position);
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
    ['ours with an end added', `${writeCursor(position)}=`],
  ])('is refused when it is %s', (_, cursor) => {
    expect(() => readCursor(cursor)).toThrow(expect.objectContaining({ key: 'request.invalid', status: 400 }));
  });

  const rows = ['a', 'b', 'c'];
  const positionOf = (id: string) => ({ at: position.at, id });

  it('points to the last item of a page while more follow', () => {
    const { items, next_cursor } = pageOf(rows, 2, positionOf);

    expect(items).toEqual(['a', 'b']);
    expect(readCursor(next_cursor!)).toEqual(positionOf('b'));
  });

  it.each([[rows], [[]]])('is null when the last page has %j', (all) => {
    expect(pageOf(all, 3, positionOf)).toEqual({ items: all, next_cursor: null });
  });
});
