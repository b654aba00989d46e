import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { userOf, inboxOf, isInbox } from './inbox.ts';

const request = (reply: string, marks?: MsgHdrs) => ({ reply, ...(marks && { headers: marks }) });
const marked = (...infos: string[]) => {
  const marks = headers();
  for (const info of infos) marks.append('Nats-Request-Info', info);
  return marks;
};

describe('a bus inbox', () => {
  it('identifies the only user who may subscribe to it', () => {
    expect(userOf(request(`${inboxOf('shop-backend')}.abc.1`))).toBe('shop-backend');
    expect(userOf(request('_INBOX.abc'))).toBeUndefined();
    expect(userOf({})).toBeUndefined();
  });

  it('is distinguished from any other subject', () => {
    expect(['_INBOX.abc', '_INBOX_shop.abc', '_R_.abc.def'].every(isInbox)).toBe(true);
    expect(
      [
        'codase.feed.v1.shop.x.p00',
        '_INBOX',
        '_INBOX_shop',
        '_INBOX_shop.',
        'x._INBOX_shop.abc',
        '_INBOXES.abc',
        '_R_',
        '_R_.',
        'x._R_.abc',
      ].some(isInbox),
    ).toBe(false);
  });
});

describe('a request from another account', () => {
  it('is attributed to the account that the server wrote into its header', () => {
    expect(userOf(request('_R_.abc.def', marked('{"acc":"shop-backend","rtt":1}')))).toBe('shop-backend');
  });

  it('is attributed to no account when the header is unreadable or ambiguous', () => {
    for (const infos of [[], ['shop-backend'], ['null'], ['{}'], ['{"acc":1}'], ['{"acc":"desk"}', '{"acc":"shop"}']])
      expect(userOf(request('_R_.abc.def', marked(...infos)))).toBeUndefined();
  });

  it('is not recognised by a header that a user of the same account adds', () => {
    expect(userOf(request('_INBOX_desk.abc', marked('{"acc":"shop-backend"}')))).toBe('desk');
  });
});
