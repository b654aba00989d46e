import { accountClients, OPERATOR, tokens } from '@codase/contracts';
import { eventually, World } from '@codase/testing';
import { IBAN } from '@codase/testing/operator-field-type';
import { spawn } from 'node:child_process';
import { sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, signingKeyFile } from '@codase/stack';
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

  it('verifies the transparency log, and refuses one that was changed or lacks an exported entry @gap D1-8', async () => {
    const [state, audit] = [join(folder, 'log.json'), join(folder, 'audit.jsonl')];
    const verify = (...words: string[]) => operator('log', 'verify', world.frontDoorUrl, '--state', state, ...words);
    const grown = (more: number) =>
      eventually(async () => {
        await world.passes({ seconds: 61 });
        const { out } = await operator('log', 'verify', world.frontDoorUrl, '--json');
        return (JSON.parse(out) as { size: number }).size > more || undefined;
      });
    await grown(0);
    expect(await verify()).toMatchObject({ code: 0, out: expect.stringMatching(/leaves, 0 exported entries among them, as before/) });
    const { size } = JSON.parse(readFileSync(state, 'utf8')) as { size: number };
    await operator('level', world.acme.user_id, 'business');
    await grown(size);
    writeFileSync(audit, (await program('audit', 'export', '--region', 'eu')).out);
    await world.passes({ minutes: 6 });

    const checked = await eventually(async () => {
      await world.passes({ seconds: 61 });
      const { code, out } = await verify('--audit', audit);
      return code === 0 ? out : undefined;
    });
    expect(checked).toMatch(/leaves, [1-9]\d* exported entries/);
    expect(await operator('log', 'verify', world.regionUrl('eu'), '--keys', world.frontDoorUrl)).toMatchObject({ code: 0 });
    const { out } = await operator('log', 'verify', world.frontDoorUrl, '--mirrors', world.regionUrl('eu'), '--json');
    expect(JSON.parse(out)).toMatchObject({ mirrors: 1, unreachable: [] });
    const region = await world.opensDatabase('region_eu', { role: 'owner' });
    await region.query(`alter table audit.log_mirror disable trigger keep_head`);
    const mirrored = await region.query<{ note: string }[]>(`select note from audit.log_mirror where base = 'front-door'`);
    await region.query(`update audit.log_mirror set note = $1`, [otherHistory(mirrored[0]!.note)]);
    expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining('holds a head that is not part of this log') });
    await region.query(`update audit.log_mirror set note = replace(note, E'\ntime 2', E'\ntime 1')`);
    expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining('No key of front-door signed the head that') });
    await region.query(`update audit.log_mirror set note = $1`, [otherHistory(mirrored[0]!.note, 'eu')]);
    expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining('No key of front-door signed the head that') });
    await region.query(`delete from audit.log_mirror`);

    writeFileSync(audit, readFileSync(audit, 'utf8').replaceAll('"act":"level.changed"', '"act":"level.kept"'));
    expect(await verify('--audit', audit)).toMatchObject({ code: 1, err: expect.stringContaining('not in the log, or were changed') });
    const kept = JSON.parse(readFileSync(state, 'utf8')) as object;
    for (const [broken, why] of [
      [{ ...kept, root: 'x' }, 'leaves are not what they were'],
      [{ ...kept, size: 1_000_000 }, 'leaves were taken away'],
      [{ ...kept, origin: 'another' }, 'the database was restored'],
    ] as const) {
      writeFileSync(state, JSON.stringify(broken));
      expect(await verify()).toMatchObject({ code: 1, err: expect.stringContaining(why) });
    }
    expect(await operator('log', 'verify', world.frontDoorUrl, '--audit', '/nowhere')).toMatchObject({ code: 1 });
    expect(await operator('log', 'publish', world.frontDoorUrl)).toMatchObject({ code: 2 });
  });

  /** Returns a head of the same log and size with another root, which a base signs with its own key. */
  function otherHistory(note: string, base: 'front-door' | 'eu' = 'front-door'): string {
    const [origin = '', size = '', , time = ''] = note.split('\n');
    const text = `${origin}\n${size}\n${Buffer.alloc(32, 1).toString('base64')}\n${time}\n`;
    const [key = ''] = /-----BEGIN[^]*?END PRIVATE KEY-----/.exec(world['planes'].secrets.known(signingKeyFile(base)))!;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}\n— ${origin} ${Buffer.concat([Buffer.alloc(4), signature]).toString('base64')}\n`;
  }

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
