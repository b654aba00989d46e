import { askerOf, inboxOf, isInbox } from './inbox.ts';

describe('an inbox', () => {
  it('names the user who alone may listen to it', () => {
    expect(askerOf(`${inboxOf('shop-backend')}.abc.1`)).toBe('shop-backend');
    expect(askerOf('_INBOX.abc')).toBeUndefined();
    expect(askerOf(undefined)).toBeUndefined();
  });

  it('is no other subject', () => {
    expect(['_INBOX.abc', '_INBOX_shop.abc'].every(isInbox)).toBe(true);
    expect(['cds.feed.v1.shop.x.p00', '_INBOX', '_INBOX_shop', '_INBOX_shop.', 'x._INBOX_shop.abc', '_INBOXES.abc'].some(isInbox)).toBe(false);
  });
});
