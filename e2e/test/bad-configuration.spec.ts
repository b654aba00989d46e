import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { entryOf, type UnitName } from '@codase/stack';

/** Runs a service's main with an environment. Returns its exit code and what it said. */
async function run(unit: UnitName, env: Record<string, string>): Promise<{ code: number; said: string }> {
  const child = spawn(process.execPath, [entryOf(unit)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

describe('a service with a bad configuration', () => {
  it.each<[UnitName, string[]]>([
    ['front-door', ['PLATFORM_ROLES']],
    ['gateway', ['OPS_PORT', 'NATS_URL', 'FRONT_DOOR_URL', 'SERVICES']],
    ['decryptor', ['OPS_PORT', 'NATS_URL']],
    ['twofa', ['OPS_PORT', 'NATS_URL', 'DATABASE_URL']],
  ])('exits and reports every fault at once: %s', async (unit, variables) => {
    const { code, said } = await run(unit, {});

    expect(code).toBe(1);
    for (const variable of variables) expect(said).toContain(`${variable}: not set`);
    expect(said).not.toMatch(/\n\s+at /);
  });

  it('says what it expects and never what it was given', async () => {
    const { code, said } = await run('gateway', {
      OPS_PORT: '0',
      NATS_URL: 'nats://127.0.0.1:1',
      FRONT_DOOR_URL: 'ftp://hunter2',
      SERVICES: '{"shop":{"client_secret":"hunter2"}}',
    });

    expect(code).toBe(1);
    expect(said).toContain('FRONT_DOOR_URL: an http or https URL');
    expect(said).not.toContain('hunter2');
  });

  it('says which server it cannot reach', async () => {
    const { code, said } = await run('decryptor', {
      OPS_PORT: '0',
      NATS_URL: 'nats://127.0.0.1:1',
      CONNECT_SECONDS: '1',
      KEYS_DIR: '/nowhere',
      CALLERS: '{}',
    });

    expect(code).toBe(1);
    expect(said).toContain('cannot be reached: see that it runs, and that this is its address');
  });
});
