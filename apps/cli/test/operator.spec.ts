import { accountClients, OPERATOR, tokens } from '@codase/contracts';
import { World } from '@codase/testing';
import { IBAN } from '@codase/testing/operator-field-type';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '@codase/stack';
import { operator as runOperator } from '../src/operator/operator.ts';

const COMMAND = join(ROOT, 'bundle/operator.mjs');

describe('npm run operator', () => {
  let world: World;
  let env: Record<string, string>;
  let folder: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu'] });
    folder = mkdtempSync(join(tmpdir(), 'codase-operator-'));
    const { nats } = world['planes'];
    const password = join(folder, 'password');
    writeFileSync(password, nats.credentials('platform-operator').password!);
    env = { NATS_URL: nats.url, NATS_PASSWORD_FILE: password };
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  it('switches the modes of a region and shows them @spec D1-7', async () => {
    expect(await program('mode', 'eu', 'writes-paused', 'on')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^region +writes-paused +out-of-order\neu +on +off\n$/),
    });
    expect(JSON.parse((await operator('modes', 'eu', 'us', '--json')).out)).toEqual([
      { region: 'eu', writes_paused: true, out_of_order: false },
      { region: 'us', writes_paused: false, out_of_order: false },
    ]);
    expect((await operator('mode', 'eu', 'writes-paused', 'off', '--json')).out).toBe(
      '{"region":"eu","writes_paused":false,"out_of_order":false}\n',
    );
  });

  it('sets the level of an account', async () => {
    expect(await operator('level', world.acme.user_id, 'pro')).toEqual({
      code: 0,
      out: `${world.acme.user_id} has the level pro.\n`,
      err: '',
    });
    expect(await program('level', 'usr_nobody', 'pro')).toEqual({ code: 1, out: '', err: 'There is no account usr_nobody\n' });
  });

  it('backfills whitelists and says how many changed @spec D1-9', async () => {
    expect(await operator('backfill')).toEqual({ code: 0, out: '0 clients changed, 0 patterns added.\n', err: '' });
  });

  it('registers a managed client, and shows its secret once @spec D1-2.1', async () => {
    const { code, out } = await operator(
      'managed-client',
      world.acme.user_id,
      'crm:hub',
      'The hub',
      '--capability',
      'customer_connections',
      '--json',
    );

    const { client_id, client_secret, capabilities } = JSON.parse(out) as {
      client_id: string;
      client_secret: string;
      capabilities: string[];
    };
    expect([code, capabilities]).toEqual([0, ['customer_connections']]);
    await expect(
      world.stranger.asks(tokens.issueToken, { body: { grant_type: 'client_credentials', client_id, client_secret } }),
    ).resolves.toMatchObject({ token_type: 'Bearer' });
    expect((await world.acme.asks(accountClients.listAccountClients, { query: {} })).items).toContainEqual(
      expect.objectContaining({ client_id, purpose: 'crm:hub' }),
    );
    expect(await operator('managed-client', world.acme.user_id, 'crm:hub', 'Again')).toMatchObject({
      code: 1,
      err: expect.stringContaining('has this purpose'),
    });
  });

  it('sends a field type from a file, and reports a file that cannot be read @spec D1-2.5', async () => {
    const bus = await world.operator('platform');
    const requests: unknown[] = [];
    const ear = bus.connection.subscribe(OPERATOR.putFieldType.pattern, {
      callback: (_, message) => void requests.push(message.json<{ type: string }>().type),
    });

    await operator('field-type', file('row.json', JSON.stringify(IBAN)));
    await bus.connection.flush();
    ear.unsubscribe();

    expect(requests).toEqual(['iban']);
    expect(await operator('field-type', join(folder, 'nowhere.json'))).toMatchObject({ code: 1, err: expect.stringContaining('ENOENT') });
  });

  it.each([[[]], [['mood', 'eu']], [['modes']], [['audit', 'export']], [['mode', 'eu', 'asleep', 'on']]])(
    'reports invalid arguments %j in one line and exits with code 2',
    async (words) => {
      const { code, out, err } = await operator(...words);

      expect({ code, out, lines: err.trim().split('\n').length }).toEqual({ code: 2, out: '', lines: 1 });
      expect(err).toContain('--help');
    },
  );

  it('exits with code 2 as a program too when its arguments are invalid', async () => {
    expect(await program('mood', 'eu')).toEqual({ code: 2, out: '', err: expect.stringContaining("There is no command 'mood'") });
  });

  it('has a help page for itself and for each command', async () => {
    expect(await operator('--help')).toMatchObject({ code: 0, out: expect.stringContaining('Exit code 1 when') });
    expect(await operator('level', '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('level USER free|basic|pro|business'),
    });
  });

  it('reports in a sentence why it cannot reach the platform', async () => {
    const without = { NATS_URL: env['NATS_URL']! };
    expect(await operatorWith({ ...without, NATS_PASSWORD: 'wrong' }, 'modes', 'eu')).toMatchObject({
      code: 1,
      err: expect.stringContaining('check the user and its password'),
    });
    expect(await operatorWith({ NATS_URL: 'nats://127.0.0.1:1' }, 'modes', 'eu')).toMatchObject({
      code: 1,
      err: expect.stringContaining('see that it runs'),
    });
    expect(await operatorWith({ NATS_URL: 'elsewhere' }, 'modes', 'eu')).toMatchObject({
      code: 1,
      err: expect.stringContaining('NATS_URL: a URL such as'),
    });
    expect(await operatorWith({ CODASE_STATE_DIR: folder }, 'modes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('start it with npm start'),
    });
  });

  const operator = (...words: string[]) => operatorWith(env, ...words);

  /** Runs the command in this process, because a start of the program takes longer than its work. */
  async function operatorWith(given: Record<string, string>, ...words: string[]) {
    const said = { out: '', err: '' };
    const terminal = { out: (line: string) => void (said.out += `${line}\n`), err: (line: string) => void (said.err += `${line}\n`) };
    return { code: await runOperator(words, given, terminal), ...said };
  }

  /** Starts the program as a person does. */
  async function program(...words: string[]) {
    const child = spawn(process.execPath, [COMMAND, ...words], { env: { PATH: process.env['PATH'], ...env } });
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (said.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (said.err += text));
    const [code] = (await once(child, 'close')) as [number];
    return { code, ...said };
  }

  function file(name: string, content: string): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }
});
