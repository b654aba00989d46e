import { Chromium, findChromium, World, type Company } from '@codase/testing';
import { contrastOf } from '../../support/contrast.ts';
import { portal, proof } from '../../support/oauth-visitor.ts';

const found = findChromium();

if (found) {
  describe(`the second step of the sign-in page in ${found.version} @spec D1-5.8 @gap D1-5.8`, () => {
    let world: World;
    let browser: Chromium;
    let company: Company;
    beforeAll(async () => {
      world = await World.open({ units: ['front-door', 'region-eu'] });
      browser = await Chromium.open(found.command);
      company = await world.signsUp({ type: 'company', region: 'eu' });
      await company.secondFactor.switchesOn(() => world.now);
    });
    afterAll(async () => {
      await browser?.close();
      await world?.close();
    });

    const address = async () => new URL((await browser.evaluate('location.href')) as string);
    const givesPassword = async () => {
      const query = { ...portal(world), response_type: 'code', state: 'xyz', code_challenge: proof().code_challenge };
      const parameters = new URLSearchParams({ ...query, code_challenge_method: 'S256' });
      await browser.goesTo(`${world.frontDoorUrl}/oauth2/authorize?${parameters}`);
      await browser.until(`document.activeElement.id === 'email'`);
      await browser.types(company.email);
      await browser.presses('Tab');
      await browser.types(company.password);
      await browser.leaves(() => browser.presses('Enter'));
    };
    const isAtCode = () => browser.until(`document.activeElement.id === 'code'`);

    it.each([
      { width: 320, scheme: 'light' as const },
      { width: 1280, scheme: 'dark' as const },
    ])('is readable $width pixels wide in the $scheme scheme, and labels every element', async (view) => {
      await browser.displays(view);
      await givesPassword();

      const tree = await browser.accessible();
      expect(tree.filter(({ role }) => ['heading', 'textbox', 'checkbox'].includes(role))).toEqual([
        { role: 'heading', name: 'Enter your code' },
        { role: 'textbox', name: 'Code of your authenticator, or a backup code' },
        { role: 'checkbox', name: 'Do not ask in this browser again for 30 days' },
      ]);
      expect(await browser.evaluate('code.autocomplete')).toBe('one-time-code');
      expect(await browser.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      for (const name of ['h1', 'label', '.choice', 'button.yes', 'button.no'])
        expect(await browser.evaluate(contrastOf(name))).toBeGreaterThanOrEqual(4.5);
    });

    it('accepts a code typed with only the keyboard, and does not ask again in a browser that is to be trusted', async () => {
      await givesPassword();
      expect(await browser.evaluate('document.title')).toBe('Enter your code');
      await isAtCode();
      await browser.types('ABCDEFGHJK');
      await browser.leaves(() => browser.presses('Enter'));
      expect(await browser.evaluate('document.title')).toBe('Error: Enter your code');
      expect(await browser.accessible()).toContainEqual(expect.objectContaining({ role: 'alert' }));

      await isAtCode();
      await browser.types(await company.secondFactor.nextCode());
      await browser.presses('Tab');
      await browser.presses('Space');
      await browser.presses('Tab');
      await browser.leaves(() => browser.presses('Enter'));
      expect((await address()).searchParams.get('code')).toMatch(/^[\w-]{43}$/);

      await givesPassword();
      const { origin, pathname, searchParams } = await address();
      expect(`${origin}${pathname}`).toBe(portal(world).redirect_uri);
      expect(searchParams.get('code')).toMatch(/^[\w-]{43}$/);
      expect(await browser.evaluate('document.cookie')).toBe('');
    });
  });
} else {
  it('the second step of sign-in is tested only by its headers, because no Chromium or Chrome was found', () => {
    expect(found).toBeUndefined();
  });
}
