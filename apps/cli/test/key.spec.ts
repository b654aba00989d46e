import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comesTrue, World } from '@codase/testing';
import { clearKey } from '@codase/testing/keys';
import { createPublicKey } from 'node:crypto';
import { keyVerify } from '../src/key.ts';
import { run, targetIn } from './run.ts';

describe('key verify @gap D1-8', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'gateway'] });
    folder = mkdtempSync(join(tmpdir(), 'codase-key-'));
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const verify = async (...words: string[]) => {
    const { said, results, ended } = run(keyVerify, words, targetIn(world));
    await ended;
    return { said: said.join('\n'), result: results[0] };
  };
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('shows that the log has the key of an account, and extends what was seen here and what other bases hold', async () => {
    const state = join(folder, 'state.json');
    const words = ['account', 'ANA', '--front', world.frontDoorUrl, '--state', state];
    await comesTrue(() => verify(...words));
    await world.passes({ seconds: 61 });

    await comesTrue(async () => {
      const { said, result } = await verify(...words, '--mirrors', world.regionUrl('eu'));
      expect(said).toMatch(/^account ANA: SHA-256 [0-9a-f]{64}, in the log of front-door since .*, and so 1 heads that other bases hold/);
      expect(result).toMatchObject({ kind: 'account', owner: 'ANA', base: 'front-door', mirrors: 1 });
    });
    const seen = JSON.parse(readFileSync(state, 'utf8')) as object;
    writeFileSync(state, JSON.stringify({ ...seen, size: 1_000_000 }));
    await expect(verify(...words)).rejects.toThrow('the log does not extend the one that was seen before');
  });

  it('shows that the log has the key that the company holds of its own service', async () => {
    const own = file('service.txt', world.shop.keys!.public_key);

    await comesTrue(async () =>
      expect(await verify('service', 'ser_demo_shop', '--key', own)).toMatchObject({ result: { base: 'eu', kind: 'service' } }),
    );
  });

  it('refuses another key, with what to do', async () => {
    const other = file('other.pem', createPublicKey(clearKey(2048)).export({ type: 'spki', format: 'pem' }) as string);

    await expect(verify('account', 'ANA', '--key', other)).rejects.toThrow('Do not seal to it');
    await expect(verify('account', 'NOBODY')).rejects.toThrow('Nobody has this share code');
    await expect(verify('account', 'ANA', '--key', file('no.pem', 'no key'))).rejects.toThrow('has no public key');
    await expect(verify('account', 'ANA', '--front', world.frontDoorUrl, '--mirrors', 'http://127.0.0.1:9')).rejects.toThrow(
      'does not say which heads it holds',
    );
    for (const [words, why] of [
      [[], 'KIND is one of'],
      [['account'], 'It is: key verify KIND OWNER'],
      [['service', 'ser_demo_shop'], '--key FILE is missing'],
      [['account', 'ANA', '--mirrors', 'http://a'], '--mirrors needs --front'],
    ] as const)
      expect(() => keyVerify([...words])).toThrow(why);
  });
});
