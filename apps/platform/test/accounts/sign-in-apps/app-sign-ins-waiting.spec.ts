import { tokens } from '@codase/contracts';
import { World, type Person, type SignInAppOnce } from '@codase/testing';
import { browses, fillsFormWithCookies, proof } from '../../support/oauth-visitor.ts';

const BACK = 'https://acme.example/back';
const EMAIL = { slug: 'email', label: 'E-mail', type: 'email' };

/** A browser that waits for the phone, behind the address of all others here. */
type Waiter = Awaited<ReturnType<typeof fillsFormWithCookies>>;

describe('the waiting page for many users behind one IP address @gap D1-4.6', () => {
  let world: World;
  let ana: Person;
  let app: SignInAppOnce;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'], limits: 'real' });
    ana = world.person('ANA');
    app = await world.acme.signInApps.creates({ redirect_uris: [BACK], claims: [EMAIL] });
  });
  afterAll(() => world?.close());

  const begins = (): Promise<Waiter> => {
    const query = {
      client_id: app.client_id,
      redirect_uri: BACK,
      response_type: 'code',
      code_challenge: proof().code_challenge,
      code_challenge_method: 'S256',
    };
    return fillsFormWithCookies(new URL(`${world.frontDoorUrl}/oauth2/authorize?${new URLSearchParams(query)}`), ana);
  };
  const loads = ({ at, cookie }: Waiter) => browses(String(at), undefined, { cookie });
  const presses = ({ at, cookie }: Waiter) => browses(String(at), {}, { cookie });
  const getsToken = () => {
    const { client_id, client_secret } = world.shop;
    return world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } });
  };

  it('does not use up the rate limit of backends there, and reloads itself when throttled', async () => {
    const waiters: Waiter[] = [];
    for (let n = 0; n < 5; n++) waiters.push(await begins());

    for (let again = 0; again < 20; again++) for (const waiter of waiters) expect((await loads(waiter)).status).toBe(200);
    await expect(getsToken()).resolves.toBeDefined();

    for (const answer of [await loads(waiters[0]!), await presses(waiters[0]!)]) {
      expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
      expect(answer.html).toContain('Answer on your phone');
      expect(answer.html).toContain('http-equiv="refresh"');
    }
    await world.passes({ seconds: 10 });
    expect((await loads(waiters[0]!)).html).toContain('Your phone shows');
  });
});
