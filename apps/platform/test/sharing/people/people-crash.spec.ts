import { account, identity, KEY_WRAP, type Request } from '@codase/contracts';
import { execute, one, sql } from '@codase/runtime/db';
import { eventually, Person, World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { DataSource } from 'typeorm';
import { inOwnTransaction, until } from '../../support/platform-internals.ts';

type SignUp = Request<typeof identity.signUp>['body'];

describe('sign-up with failures @gap D1-5', () => {
  let world: World;
  let frontDoor: DataSource;
  let region: DataSource;
  let somebody: Omit<SignUp, 'email'>;
  beforeAll(async () => {
    world = await World.open({ processes: 'many', units: ['front-door', 'region-us'] });
    const open = (name: 'front_door' | 'region_us') => world.opensDatabase(name);
    [frontDoor, region] = await Promise.all([open('front_door'), open('region_us')]);
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    somebody = {
      type: 'person',
      password: 'correct horse battery staple',
      display_name: 'Somebody',
      region: 'us',
      public_key,
      encrypted_private_key: { ...encrypted_private_key, iter: KEY_WRAP.iterations },
    };
  });
  afterAll(() => world?.close());

  const begins = (email: string) => world.stranger.asks(identity.signUp, { body: { ...somebody, email } });
  /** The last step of signing up, as a function that can be repeated. */
  const signUpOf = async (email: string) => {
    const { sign_up_id: signUpId } = await begins(email);
    const code = await world.codeOf(signUpId);
    return () => world.stranger.asks(identity.confirmSignUp, { params: { signUpId }, body: { code } });
  };

  it('leaves nothing behind when the region is unavailable, and the same call succeeds later', async () => {
    const confirms = await signUpOf('patient@world.example');
    await world.stop('region-us');
    for (let nth = 0; nth < 6; nth++) await expect(confirms()).rejects.toMatchObject({ key: 'service.unavailable', status: 503 });

    await world.restart('region-us');
    expect(await confirms()).toMatchObject({ email: 'patient@world.example', region: 'us' });
  });

  const profiles = async () => Number((await one<{ count: string }>(region, sql`select count(*) from profile`))!.count);

  it('leaves nothing behind in a region that handles the request after the timeout', async () => {
    const before = await profiles();

    const confirms = await signUpOf('early@world.example');
    world.freeze('region-us');
    await expect(confirms()).rejects.toMatchObject({ key: 'service.unavailable' });
    world.thaw('region-us');
    await confirms(); // asked and answered after the request that the region slept through

    expect(await profiles()).toBe(before + 1);
  });

  it('deletes the profile again in a region that stored it after the timeout', async () => {
    const before = await profiles();
    const pending = () =>
      one<{ all: number; left: number }>(
        frontDoor,
        sql`
        select count(*)::int as all, (count(*) filter (where regions_left is null or 'us' = any(regions_left)))::int as left
          from account_deletion`,
      );
    const { all } = (await pending())!;
    const confirms = await signUpOf('slow@world.example');

    await inOwnTransaction(region, async (tx) => {
      await execute(tx, sql`lock table profile in share mode`);
      await expect(confirms()).rejects.toMatchObject({ key: 'service.unavailable' });
    });

    // The region adds the profile now, and is then asked to delete it. Time passes, so that a failed attempt is repeated.
    await until(async () => {
      await world.passes({ seconds: 1 });
      const now = (await pending())!;
      return now.all > all && now.left === 0;
    }, 'the region has deleted what it had of the account');
    expect(await profiles()).toBe(before);
  });

  it('is completed after the front door crashed in the middle of it', async () => {
    const email = 'lucky@world.example';
    const confirms = await signUpOf(email);
    world.freeze('region-us');
    const cut = confirms().then(
      () => 'answered',
      () => 'cut off',
    );
    await eventually(() => one(frontDoor, sql`select user_id from profile_to_hand_over`));
    await world.kill('front-door');
    expect(await cut).toBe('cut off');

    await world.comesBack('region-us'); // requests that it got meanwhile are lost
    await world.comesBack('front-door');
    await world.passes({ minutes: 1 });

    const lucky = new Person(
      world.frontDoorUrl,
      { client_id: 'app_person', redirect_uri: `${world.frontDoorUrl}/app/signed-in` },
      {
        ...somebody,
        user_id: '',
        email,
        share_code: '',
        keys: world.person('BEN').keys,
      },
    );
    const profile = await eventually(() => lucky.asks(account.readProfile, {}).catch(() => undefined));
    expect(profile).toMatchObject({ display_name: 'Somebody', public_key: somebody.public_key });
    await expect(confirms()).rejects.toMatchObject({ key: 'account.email_taken' });
    await begins(email);
    expect((await world.mails())[0]).toMatchObject({ to: email, subject: 'You already have an account' });
  });
});
