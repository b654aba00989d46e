import { readTrust, trustCookie } from './trust-cookie.ts';

const TOKEN = 'a'.repeat(43);
const cookieOf = (user_id: string) => trustCookie(user_id, TOKEN, { seconds: 60, isSecure: true }).split(';')[0]!;

describe('trust cookie of a browser @gap D1-5.8', () => {
  it('is sent only to the sign-in page of this host, and is hidden from scripts', () => {
    const cookie = trustCookie('usr_ana', TOKEN, { seconds: 60, isSecure: true });
    expect(cookie.split('; ').slice(1)).toEqual(['Path=/oauth2/authorize', 'Max-Age=60', 'HttpOnly', 'SameSite=Lax', 'Secure']);
    expect(trustCookie('usr_ana', TOKEN, { seconds: 60, isSecure: false })).not.toContain('Secure');
  });

  it('is found by account among other cookies', () => {
    const cookies = `a=b; ${cookieOf('usr_ben')}; ${cookieOf('usr_ana')};c`;
    expect(readTrust(cookies, 'usr_ana')).toBe(TOKEN);
    expect(readTrust([cookies], 'usr_ben')).toBe(TOKEN);
    expect(readTrust(cookies, 'usr_chiara')).toBeUndefined();
  });

  it.each([
    undefined,
    '',
    ';;;',
    '=',
    cookieOf('usr_ana').slice(0, -1),
    `${cookieOf('usr_ana')}x`,
    `${'x'.repeat(20_000)}; ${cookieOf('usr_ana')}`,
  ])('is not found in malformed or overlong cookies: %p', (cookies) => {
    expect(readTrust(cookies, 'usr_ana')).toBeUndefined();
  });
});
