import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contactData, verifications } from '@codase/contracts';
import { ROOT } from '@codase/stack';
import { comesTrue, World, type Person } from '@codase/testing';
import { operator as runOperator } from '../src/operator/operator.ts';
import { verifyField } from '../src/verify-field.ts';
import { run, targetIn } from './run.ts';

const EXAMPLE = join(ROOT, 'examples/verification-provider/provider.mjs');
const TEXT = 'ana@lind.example';

describe('a field of a person of the demo', () => {
  let world: World;
  let ana: Person;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    ana = world.person('ANA');
    await ana.fields.edits('email', TEXT);
    folder = mkdtempSync(join(tmpdir(), 'codase-provider-'));
    const { url, user, password } = world.addressOf('platform-operator');
    env = { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: password };
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await world?.close();
  });

  const verification = async () => (await ana.asks(contactData.listContactData, {})).items.find(({ slug }) => slug === 'email')!;
  /** Runs the command of operators in this process. */
  const operator = async (...words: string[]) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runOperator(['verification-provider', ...words], env, {
      out: (line) => void out.push(line),
      err: (line) => void err.push(line),
    } as Parameters<typeof runOperator>[2]);
    return { code, out: out.join('\n'), err: err.join('\n') };
  };
  /** Runs the example in a process whose clock is that of the world. */
  const example = async (...words: string[]): Promise<string> => {
    const clock = `data:text/javascript,Date.now = () => ${world.now.getTime()};`;
    return (await promisify(execFile)(process.execPath, ['--import', clock, EXAMPLE, ...words])).stdout;
  };

  it('is verified by one command', async () => {
    const { ended, said, results } = run(verifyField, ['email', '--person', 'ANA'], targetIn(world));

    expect(await ended).toBe(0);
    expect(said).toEqual([expect.stringMatching(/^Ana.*'s email is verified by demo until \d{4}-/)]);
    expect(await verification()).toMatchObject({ verified_provider: 'demo', verification_id: results[0]!['verification_id'] });
  });

  it('is verified by the example, once an operator has registered it, until that revokes it or is removed', async () => {
    const [key, file, next] = [join(folder, 'key.pem'), join(folder, 'provider.json'), join(folder, 'next.json')];
    const registration = await example('register', 'example', key);
    writeFileSync(file, registration);
    expect(await operator('add', file)).toMatchObject({ code: 0, out: 'example may verify text.' });
    expect((await operator('list')).out).toMatch(/example +An example +text +365 +first/);
    const asks = () => ana.fields.asksToVerify('email', 'example');
    await comesTrue(asks);

    const { api_url, verification_id } = await asks();
    expect(await example('attest', 'example', key, api_url, verification_id, TEXT)).toBe('attested\n');
    expect(await verification()).toMatchObject({ verified_provider: 'example', verified_method: 'example', verification_id });
    expect(await example('revoke', 'example', key, api_url, verification_id)).toBe('revoked\n');
    expect(await verification()).not.toHaveProperty('verified_hash');

    writeFileSync(next, JSON.stringify({ ...JSON.parse(registration).keys[0], kid: 'next' }));
    expect((await operator('rotate-key', 'example', next, '--overlap-days', '0')).out).toMatch(/^example signs with next/);
    expect((await operator('revoke-key', 'example', 'first')).code).toBe(0);
    expect((await operator('remove', 'example')).code).toBe(0);
    const { items } = await world.stranger.asks(verifications.listVerificationProviders, {});
    expect(items.map(({ provider_id }) => provider_id)).not.toContain('example');
  });

  it.each([
    [['add'], 2, /It is: verification-provider VERB/],
    [['give'], 2, /VERB is one of add, list, rotate-key, revoke-key, remove/],
    [['remove', 'nobody'], 1, /No such verification provider/],
    [['add', join(import.meta.dirname, 'run.ts')], 1, /cannot be read \(it is not JSON\)/],
  ])('needs a command that says what to do: %s', async (words, code, err) => {
    expect(await operator(...words)).toMatchObject({ code, err: expect.stringMatching(err) });
  });
});
