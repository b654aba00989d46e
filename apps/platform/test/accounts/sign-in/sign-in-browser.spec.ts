import { seals } from '@codase/contracts';
import { Chromium, findChromium, World } from '@codase/testing';
import { contrastOf } from '../../support/contrast.ts';
import { browses, CALLBACK, portal, proof, withRedirect } from '../../support/oauth-visitor.ts';

const found = findChromium();

if (found) {
  describe(`the sign-in page in ${found.version} @spec D1-4.1`, () => {
    let world: World;
    let browser: Chromium;
    beforeAll(async () => {
      world = await World.open({ units: ['front-door', 'region-eu'] });
      await withRedirect(world, world.automation);
      browser = await Chromium.open(found.command);
    });
    afterAll(async () => {
      await browser?.close();
      await world?.close();
    });

    const opens = async (app: { client_id: string; redirect_uri: string } = portal(world)) => {
      const query = { ...app, response_type: 'code', state: 'xyz', code_challenge: proof().code_challenge, code_challenge_method: 'S256' };
      await browser.goesTo(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(query)}`);
      await isAtEmail();
    };
    /** Waits until the first field has the focus, without a click. */
    const isAtEmail = () => browser.until(`document.activeElement.id === 'email'`);
    const address = async () => new URL((await browser.evaluate('location.href')) as string);
    const signsIn = async (email: string, password: string) => {
      await browser.types(email);
      await browser.presses('Tab');
      await browser.types(password);
      await browser.leaves(() => browser.presses('Enter'));
    };

    it('signs a user in with only the keyboard', async () => {
      await opens();
      await signsIn(world.acme.email, world.acme.password);

      const { origin, pathname, searchParams } = await address();
      expect(`${origin}${pathname}`).toBe(portal(world).redirect_uri);
      expect(Object.fromEntries(searchParams)).toEqual({
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: 'xyz',
        iss: world.frontDoorUrl,
      });
    });

    it('returns after a wrong password with an error, and then accepts the right password', async () => {
      await opens();
      await signsIn(world.acme.email, 'guessed wrong');

      expect(await browser.evaluate('document.title')).toMatch(/^Error: /);
      expect(await browser.accessible()).toContainEqual(expect.objectContaining({ role: 'alert' }));
      await isAtEmail();
      expect(await browser.evaluate('[email.value, password.value]')).toEqual([world.acme.email, '']);

      await browser.presses('Tab');
      await browser.types(world.acme.password);
      await browser.leaves(() => browser.presses('Enter'));
      expect((await address()).searchParams.get('code')).toBeTruthy();
    });

    it('lets a user deny without typing anything', async () => {
      await opens();
      for (let fields = 0; fields < 3; fields++) await browser.presses('Tab');
      await browser.leaves(() => browser.presses('Space'));

      expect(Object.fromEntries((await address()).searchParams)).toMatchObject({ error: 'access_denied', state: 'xyz' });
    });

    it('waits for the phone, notices its answer without a script, and redirects at one key press', async () => {
      const { redirect_uri } = portal(world);
      const claims = [{ slug: 'email', label: 'E-mail', type: 'email' }];
      const { client_id } = await world.acme.signInApps.creates({ redirect_uris: [redirect_uri], claims, claims_delivery: 'plaintext' });
      const ana = world.person('ANA');
      await opens({ client_id, redirect_uri });
      await signsIn(ana.email, ana.password);
      expect(await browser.evaluate('document.title')).toBe('Answer on your phone');

      await ana.phone.approvesSignIn((await ana.phone.signIns())[0]!.id, { email: 'ana@example.org' });
      await browser.until(`document.title === 'You have answered on your phone'`);
      await browser.presses('Tab');
      await browser.leaves(() => browser.presses('Enter'));

      const { origin, pathname, searchParams } = await address();
      expect(`${origin}${pathname}`).toBe(redirect_uri);
      expect(Object.fromEntries(searchParams)).toEqual({ code: expect.any(String), state: 'xyz', iss: world.frontDoorUrl });
    });

    it('names every element to a screen reader', async () => {
      await opens({ client_id: world.automation.client_id, redirect_uri: CALLBACK });
      const tree = await browser.accessible();

      expect(tree.filter(({ role }) => ['heading', 'textbox', 'button'].includes(role))).toEqual([
        { role: 'heading', name: 'Sign in and give acct_demo access' },
        { role: 'textbox', name: 'E-mail address' },
        { role: 'textbox', name: 'Password' },
        { role: 'button', name: 'Allow' },
        { role: 'button', name: 'Deny' },
      ]);
      expect(tree.map(({ role }) => role)).toEqual(expect.arrayContaining(['main', 'list', 'listitem']));
      expect(await browser.evaluate(`[document.documentElement.lang, email.autocomplete, password.autocomplete]`)).toEqual([
        'en',
        'username',
        'current-password',
      ]);
    });

    it.each([
      { width: 320, scheme: 'light' as const },
      { width: 1280, scheme: 'dark' as const },
    ])('is readable $width pixels wide in the $scheme scheme', async (view) => {
      await browser.displays(view);
      await opens({ client_id: world.automation.client_id, redirect_uri: CALLBACK });

      expect(await browser.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      for (const name of ['h1', 'p', 'button.yes', 'button.no'])
        expect(await browser.evaluate(contrastOf(name))).toBeGreaterThanOrEqual(4.5);
    });

    it('is as readable and accessible on the page that verifies a PDF', async () => {
      await browser.displays({ width: 320, scheme: 'dark' });
      await browser.goesTo(`${world.frontDoorUrl}${seals.verifyPage.path}`);
      await browser.evaluate(`(() => {
        const chosen = new DataTransfer();
        chosen.items.add(new File(['%PDF-1.7'], 'a.pdf'));
        file.files = chosen.files;
      })()`);
      await browser.leaves(() => browser.evaluate(`document.querySelector('button').click()`));

      expect(await browser.evaluate('document.title')).toBe('Not readable: Verify a PDF');
      expect(await browser.accessible()).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ role: 'heading', name: 'Verify a PDF' }),
          expect.objectContaining({ role: 'status' }),
          expect.objectContaining({ role: 'button', name: 'Verify' }),
        ]),
      );
      expect(await browser.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      for (const name of ['h1', '#verdict', 'dd', 'button.yes'])
        expect(await browser.evaluate(contrastOf(name))).toBeGreaterThanOrEqual(4.5);
    });
  });
} else {
  it('the sign-in page is tested only for its labels, because no Chromium or Chrome was found', async () => {
    const world = await World.open({ units: ['front-door'] });
    const query = { ...portal(world), code_challenge: proof().code_challenge, code_challenge_method: 'S256' };
    const { html } = await browses(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(query)}`);

    expect([...html.matchAll(/<label for="(\w+)">/g)].map(([, id]) => id)).toEqual(['email', 'password']);
    await world.close();
  });
}
