import { readTrust, trustCookie } from './trust-cookie.ts';

const TOKEN = 'a'.repeat(43);
const cookieOf = (user_id: string) => trustCookie(user_id, TOKEN, { seconds: 60, isSecure: true }).split(';')[0]!;

describe('the cookie of a trusted browser @gap D1-5.8', () => {
  it('is for the sign-in page of this host alone, and no script reads it', () => {
    const cookie = trustCookie('usr_ana', TOKEN, { seconds: 60, isSecure: true });
    expect(cookie.split('; ').slice(1)).toEqual(['Path=/oauth2/authorize', 'Max-Age=60', 'HttpOnly', 'SameSite=Lax', 'Secure']);
    expect(trustCookie('usr_ana', TOKEN, { seconds: 60, isSecure: false })).not.toContain('Secure');
  });

  it('is found among others, by the account', () => {
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
  ])('is not found in %p', (cookies) => {
    expect(readTrust(cookies, 'usr_ana')).toBeUndefined();
  });
});
