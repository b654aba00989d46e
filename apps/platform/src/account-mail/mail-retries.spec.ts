import { isRefusedForGood, nextAttempt, expiredBefore, type SendFailure } from './mail-retries.ts';

const NOW = new Date('2026-03-10T12:00:00Z');

describe('a mail that was not taken', () => {
  it.each([
    [1, 1],
    [2, 2],
    [3, 4],
    [6, 32],
    [7, 60],
    [40, 60],
  ])('after try %d is tried again in %d minutes', (attempts, minutes) => {
    expect(nextAttempt(attempts, NOW)).toEqual(new Date(NOW.getTime() + minutes * 60_000));
  });

  it('is too old after two days', () => {
    expect(expiredBefore(NOW)).toEqual(new Date('2026-03-08T12:00:00Z'));
  });

  it.each<[string, SendFailure, boolean]>([
    ['an address that is not known', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 550 }, true],
    ['a text that is not wanted', { code: 'EMESSAGE', command: 'DATA', responseCode: 554 }, true],
    ['a mailbox that is full for now', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 452 }, false],
    ['a sender that the relay does not send for', { code: 'EENVELOPE', command: 'MAIL FROM', responseCode: 550 }, false],
    ['a password that is wrong', { code: 'EAUTH', command: 'AUTH PLAIN', responseCode: 535 }, false],
    ['a relay that serves nobody', { code: 'EPROTOCOL', command: 'CONN', responseCode: 554 }, false],
    ['a relay that is not there', { code: 'ESOCKET', command: 'CONN' }, false],
    ['a fault of our own', {}, false],
  ])('for %s is refused for good or not', (_, failure, forGood) => {
    expect(isRefusedForGood(failure)).toBe(forGood);
  });
});
