import { isAboutTheMail, isRefusedForGood, nextAttempt, expiredBefore, type SendFailure } from './mail-retries.ts';

const NOW = new Date('2026-03-10T12:00:00Z');

describe('mail that the relay did not accept', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [6, 32],
    [7, 60],
    [40, 60],
  ])('is retried after attempt %d in %d minutes', (attempts, minutes) => {
    expect(nextAttempt(attempts, NOW)).toEqual(new Date(NOW.getTime() + minutes * 60_000));
  });

  it('expires after two days', () => {
    expect(expiredBefore(NOW)).toEqual(new Date('2026-03-08T12:00:00Z'));
  });

  it.each<[string, SendFailure, 'for good' | 'for now' | 'with all others']>([
    ['an address that is not known', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }, 'for good'],
    ['a text that is not wanted', { code: 'EMESSAGE', command: 'DATA', responseCode: 554 }, 'for good'],
    ['a mailbox that is full for now', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 452 }, 'for now'],
    ['a text that is not taken now', { code: 'EMESSAGE', command: 'DATA', responseCode: 451 }, 'for now'],
    ['a relay that goes down', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 421 }, 'with all others'],
    ['a sender that the relay does not send for', { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550 }, 'with all others'],
    ['a password that is wrong', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, 'with all others'],
    ['a relay that serves nobody', { code: 'EPROTOCOL', command: 'CONN', responseCode: 554 }, 'with all others'],
    ['a relay that is not there', { code: 'ESOCKET', command: 'CONN' }, 'with all others'],
    ['a fault of our own', {}, 'with all others'],
  ])('because of %s is refused %s', (_, failure, refused) => {
    expect(isRefusedForGood(failure)).toBe(refused === 'for good');
    expect(isAboutTheMail(failure)).toBe(refused !== 'with all others');
  });
});
