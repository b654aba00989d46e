import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { createDatabase, dropDatabase, freePort } from '@codase/servers';
import { roleIn, ROOT } from '@codase/stack';
import { readConfig } from '@codase/runtime/config';
import { comesTrue, eventually, TestBus } from '@codase/testing';
import { Config, start } from '../src/index.ts';

const PASSWORD = 'only-for-tests';

/** Runs a program as a job of a cluster does: with the bundle, an environment, and nothing else. */
const runs = (program: string, env: Record<string, string>) =>
  new Promise<{ code: number; said: string }>((resolve) => {
    const options = { env: { PATH: process.env['PATH']!, NODE_ENV: 'development', CONNECT_SECONDS: '1', ...env } };
    const child = execFile(process.execPath, [join(ROOT, 'bundle', `${program}.mjs`)], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, said: stderr || stdout }),
    );
  });

describe('the programs of an operator', () => {
  let nats: TestBus;
  const made: string[] = [];
  beforeAll(async () => {
    process.env['LOG_LEVEL'] ??= 'silent';
    nats = await TestBus.open();
  });
  afterAll(async () => {
    await nats?.close();
    await dropDatabase(process.env['CODASE_TEST_POSTGRES_URL']!, ...made);
  });

  const database = (name: string) => {
    made.push(name);
    const passwords = { ownerPassword: PASSWORD, appPassword: PASSWORD, rolePasswords: { delivery: PASSWORD } };
    return createDatabase<'delivery'>(process.env['CODASE_TEST_POSTGRES_URL']!, { name, ...passwords });
  };
  const bus = () => {
    const { url, user, password } = nats.credentials;
    return { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
  };

  it('migrate and prepare what a service waits for, which is not ready before and says why', async () => {
    const { owner, app } = await database('programs_twofa');
    const port = await freePort();
    const readyz = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return answer && ((await answer.json()) as { ready: boolean; checks: Record<string, string> });
    };
    const prepared = await Promise.all([runs('twofa-prepare', bus()), runs('feed-consumer-prepare', bus())]);
    expect(prepared.map(({ code }) => code)).toEqual([0, 0]);
    const starting = start(readConfig(Config, { ...bus(), OPS_PORT: String(port), NODE_ENV: 'test', DATABASE_URL: app }));
    const waiting = await eventually(async () => {
      const said = await readyz();
      return said && 'schema' in said.checks ? said : undefined;
    });
    expect(waiting).toMatchObject({
      ready: false,
      checks: { service: 'starting', schema: 'older than this program: run migrate of this release' },
    });

    const migrated = await Promise.all([1, 2].map(() => runs('twofa-migrate', { DATABASE_URL: owner })));

    expect(migrated.map(({ code }) => code)).toEqual([0, 0]);
    const service = await starting;
    await comesTrue(async () => expect(await readyz()).toMatchObject({ ready: true, checks: { schema: 'ok' } }));
    await service.close();
  });

  it('migrate the databases of the platform with the rights of the delivery, and prepare its bus', async () => {
    const [frontDoor, region] = [await database('programs_front_door'), await database('programs_region')];
    const delivery = { DELIVERY_ROLE: roleIn(region.delivery) };

    expect(await runs('platform-migrate', { PLATFORM_ROLES: 'front-door', DATABASE_URL: frontDoor.owner })).toMatchObject({ code: 0 });
    expect(await runs('platform-migrate', { PLATFORM_ROLES: 'region', DATABASE_URL: region.owner, ...delivery })).toMatchObject({
      code: 0,
    });
    expect(await runs('platform-prepare', bus())).toMatchObject({ code: 0 });
  });

  it.each([
    [
      'a database that is not there',
      'twofa-migrate',
      { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' },
      'Nothing listens at 127.0.0.1:1',
    ],
    ['no role for the delivery', 'platform-migrate', { PLATFORM_ROLES: 'region', DATABASE_URL: 'postgres://a@b/c' }, 'DELIVERY_ROLE'],
    ['replicas that nobody can have', 'feed-consumer-prepare', { REPLICAS: '2' }, 'REPLICAS: 1, 3 or 5'],
    ['more replicas than servers', 'feed-consumer-prepare', { REPLICAS: '3' }, 'or set REPLICAS to 1'],
    ['a wrong password', 'twofa-prepare', { NATS_PASSWORD: 'guess' }, 'does not let tester in: check the user and its password'],
  ])('say what to do about %s', async (_, program, env, sentence) => {
    const { code, said } = await runs(program, { ...bus(), ...env });

    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining(sentence) });
    expect(said).toMatch(new RegExp(`^${program} failed\\. `));
  });
});
