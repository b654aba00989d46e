import { hasSignedIn, signedInCookie } from './signed-in-cookie.ts';

const valueOf = (cookie: string) => cookie.split(';')[0]!;

describe('the cookie of clients that a browser has signed in to @gap D1-4.6', () => {
  it('names the newest client first, each once', () => {
    const one = valueOf(signedInCookie(undefined, 'app_1', true));
    const two = valueOf(signedInCookie(`other=x; ${one}`, 'app_2', true));

    expect(valueOf(signedInCookie(two, 'app_1', true))).toBe('codase_signed_in_to=app_1.app_2');
    expect([hasSignedIn(two, 'app_1'), hasSignedIn(two, 'app_2'), hasSignedIn(two, 'app'), hasSignedIn(undefined, 'app_1')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('keeps twenty clients, and drops what is no id', () => {
    let cookies: string | undefined = 'codase_signed_in_to=a"b.;x';
    for (let i = 1; i <= 21; i++) cookies = valueOf(signedInCookie(cookies, `app_${i}`, false));

    expect([hasSignedIn(cookies, 'app_21'), hasSignedIn(cookies, 'app_2'), hasSignedIn(cookies, 'app_1')]).toEqual([true, true, false]);
    expect(cookies).not.toContain('"');
  });

  it('is out of reach of scripts, and goes to the sign-in page alone', () => {
    expect(signedInCookie(undefined, 'app_1', true)).toMatch(
      /; Path=\/oauth2\/authorize; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(signedInCookie(undefined, 'app_1', false)).not.toContain('Secure');
  });
});
