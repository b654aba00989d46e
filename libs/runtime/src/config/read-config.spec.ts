import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigFault, json, liveText, natsUrl, port, readConfig, seconds } from './index.ts';

const Config = z.object({
  PORT: port,
  TOKEN: z.string('a token').min(20, 'at least 20 characters'),
  WAIT: seconds(5),
  SERVICES: json(z.record(z.string(), z.string())).optional(),
});

const faultsOf = (env: Record<string, string>) => {
  try {
    readConfig(Config, env);
  } catch (error) {
    return (error as ConfigFault).faults;
  }
  throw new Error('the configuration was accepted');
};

describe('reading the configuration', () => {
  it('returns the given variables, and defaults for the missing ones', () => {
    expect(readConfig(Config, { PORT: '8080', TOKEN: 'x'.repeat(20), SERVICES: '{"shop":"a"}' })).toEqual({
      PORT: 8080,
      TOKEN: 'x'.repeat(20),
      WAIT: 5,
      SERVICES: { shop: 'a' },
    });
  });

  it('reports all invalid variables in one error', () => {
    expect(faultsOf({ PORT: 'eighty', SERVICES: '{' })).toEqual([
      'PORT: a port number',
      'TOKEN: not set; give TOKEN or TOKEN_FILE',
      'SERVICES: valid JSON',
    ]);
  });

  it('names an invalid variable in its error without the value', () => {
    const faults = faultsOf({ PORT: '99999', TOKEN: 'hunter2' }).join();

    expect(faults).toContain('at least 20 characters');
    expect(faults).not.toContain('hunter2');
    expect(faults).not.toContain('99999');
  });

  it('treats an empty variable as missing', () => {
    expect(faultsOf({ PORT: '1', TOKEN: '' })).toEqual(['TOKEN: not set; give TOKEN or TOKEN_FILE']);
  });

  it("prefers the variable with the prefix of the process's role to the plain one", () => {
    const env = { PORT: '1', REGION_PORT: '2', TOKEN: 'x'.repeat(20) };

    expect(readConfig(Config, env, 'REGION_').PORT).toBe(2);
    expect(readConfig(Config, env, 'FRONT_DOOR_').PORT).toBe(1);
  });

  describe('from files', () => {
    const dir = mkdtempSync(join(tmpdir(), 'codase-config-'));
    afterAll(() => rmSync(dir, { recursive: true }));

    it('returns a secret from the file that its _FILE variable names', () => {
      writeFileSync(join(dir, 'token'), `${'s'.repeat(24)}\n`);
      expect(readConfig(Config, { PORT: '1', TOKEN_FILE: join(dir, 'token') }).TOKEN).toBe('s'.repeat(24));
    });

    it('reports the file that cannot be read', () => {
      expect(faultsOf({ PORT: '1', TOKEN_FILE: join(dir, 'absent') })).toEqual([`TOKEN_FILE: cannot read ${join(dir, 'absent')} (ENOENT)`]);
    });
  });

  it('accepts URLs of several bus servers only when all or none use TLS', () => {
    const NatsConfig = z.object({ NATS_URL: natsUrl });
    const urls = (text: string) => readConfig(NatsConfig, { NATS_URL: text }).NATS_URL;

    expect(urls('nats://a:4222')).toBe('nats://a:4222');
    expect(urls('tls://a:4222, tls://b:4222')).toBe('tls://a:4222,tls://b:4222');
    expect(() => urls('tls://a:4222,nats://b:4222')).toThrow('NATS_URL: URLs that all begin with tls:, or none of them');
    for (const wrong of ['a:4222', 'http://a', 'nats://a:4222,']) expect(() => urls(wrong)).toThrow('NATS_URL: a URL such as nats://');
  });

  it("returns the current content of a secret's file, and the content read last while the file is unreadable", () => {
    const dir = mkdtempSync(join(tmpdir(), 'codase-live-'));
    const path = join(dir, 'token');
    writeFileSync(path, 'a'.repeat(20));
    const token = liveText(readConfig(Config, { PORT: '1', TOKEN_FILE: path }), 'TOKEN');
    expect(token()).toBe('a'.repeat(20));

    writeFileSync(path, `${'b'.repeat(20)}\n`);
    expect(token()).toBe('b'.repeat(20));

    rmSync(dir, { recursive: true });
    expect(token()).toBe('b'.repeat(20));
    expect(liveText({ TOKEN: 'given' }, 'TOKEN')()).toBe('given');
  });
});
