import { account, accountSecurity, KEY_WRAP } from '@codase/contracts';
import { World } from '@codase/testing';
import { codeFor, phone, portal, signIn } from '../../support/oauth-visitor.ts';

/** Addresses from which nobody has signed in. */
const stranger = (nth: number) => `198.51.100.${nth}`;
const HOME = '203.0.113.1';
const BEHIND_PROXY = { TRUST_PROXY: '127.0.0.1' };

describe('protection against password guessing @gap D1-8', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    await world.starts('front-door', BEHIND_PROXY);
    await world.starts('region-eu', BEHIND_PROXY);
  });
  afterAll(() => world?.close());

  const company = () => world.signsUp({ type: 'company', region: 'eu' });
  const signsIn = (user: { email: string; password: string }, from: string) =>
    codeFor(portal(world), user, world.stranger, { from }).then(
      () => 'signed in',
      ({ key }: { key: string }) => key,
    );
  const guesses = ({ email }: { email: string }, from: string) => signsIn({ email, password: 'wrong guess' }, from);
  const rewraps = async (token: string, password: string, from: string) => {
    const { encrypted_private_key } = await world.stranger.asks(account.readAccountKeys, {}, { at: world.regionUrl('eu'), token, from });
    return world.stranger
      .asks(
        account.rewrapAccountKey,
        { body: { password, encrypted_private_key: { ...encrypted_private_key, iter: KEY_WRAP.iterations } } },
        { at: world.regionUrl('eu'), token, from },
      )
      .then(
        () => 'done',
        ({ key }: { key: string }) => key,
      );
  };

  it('counts wrong passwords of all endpoints together, and locks after five', async () => {
    const victim = await company();
    const { access_token } = await signIn(portal(world), victim, world.stranger, { from: HOME });
    const moves = (password: string) =>
      world.stranger
        .asks(account.migrateRegion, { body: { password, region: 'us' } }, { at: world.regionUrl('eu'), token: access_token, from: HOME })
        .catch(({ key }: { key: string }) => key);

    const answers: unknown[] = [];
    for (let nth = 0; nth < 12; nth++) answers.push(await moves(`guess ${nth}`), await rewraps(access_token, `guess ${nth}`, HOME));
    answers.push(...(await Promise.all(Array.from({ length: 10 }, (_, nth) => moves(`guess at once ${nth}`)))));
    answers.push(await guesses(victim, HOME));

    expect(answers.filter((key) => key === 'account.password_wrong')).toHaveLength(5);
    expect(answers.filter((key) => key === 'rate_limit.exceeded')).toHaveLength(30);
  });

  it('locks out unknown IP addresses, but not an owner at an address that signed in before', async () => {
    const victim = await company();
    expect(await signsIn(victim, HOME)).toBe('signed in');
    for (let nth = 0; nth < 20; nth++) await guesses(victim, stranger(nth));

    expect(await signsIn(victim, HOME)).toBe('signed in');
    expect(await signsIn(victim, stranger(99))).toBe('rate_limit.exceeded');
    await world.passes({ hours: 1 });
    expect(await signsIn(victim, stranger(99))).toBe('signed in');
  });

  it('does not trust addresses that signed in with the previous password', async () => {
    const owner = await company();
    for (let nth = 0; nth < 4; nth++) expect(await signsIn(owner, stranger(nth))).toBe('signed in');
    const { access_token: token } = await signIn(portal(world), owner, world.stranger, { from: HOME });
    const body = { password: owner.password, new_password: 'seven lamps by the river' };
    await world.stranger.asks(accountSecurity.changePassword, { body }, { at: world.regionUrl('eu'), token, from: HOME });

    const answers: string[] = [];
    for (let nth = 0; nth < 20; nth++) answers.push(await guesses(owner, stranger(nth % 4)));
    expect(answers.filter((key) => key === 'oauth.access_denied')).toHaveLength(5);
    expect(await signsIn({ ...owner, password: body.new_password }, HOME)).toBe('signed in');
  });

  it('does not count correct passwords', async () => {
    const owner = await company();

    const answers = await Promise.all(Array.from({ length: 12 }, () => signsIn(owner, stranger(1))));
    for (let nth = 0; nth < 40; nth++) answers.push(await signsIn(owner, stranger(nth)));

    expect(new Set(answers)).toEqual(new Set(['signed in']));
  });

  it('does not reveal whether an account exists, by the answers or by the delays', async () => {
    const known = await company();
    const answersTo = async (email: string) => {
      const answers: unknown[] = [];
      for (let nth = 0; nth < 12; nth++) {
        const { key, retryAfter } = (await codeFor(phone(world), { email, password: 'wrong guess' }, world.stranger, {
          from: stranger(nth),
        }).catch((error: unknown) => error)) as { key: string; retryAfter: number };
        answers.push({ key, retryAfter });
        if (nth > 7) await world.passes({ seconds: retryAfter ?? 0 });
      }
      return answers;
    };

    expect(await answersTo('nobody@demo.example')).toEqual(await answersTo(known.email));
  });
});
