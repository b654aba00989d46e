import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLog, type Log } from '@codase/runtime/telemetry';
import type { ThreadKey } from '@codase/crypto/threads';
import { collectTelemetry, forgetTelemetry } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { OpeningKey } from '../open/opening-thread.service.ts';
import { KeyFolder } from './key-folder.store.ts';
import { Keyring } from './keyring.service.ts';

/** A disk that fails a few times, as one behind a network does. */
class FlakyFolder extends KeyFolder {
  failures = 0;

  override async read(name: string) {
    if (this.failures-- > 0) throw Object.assign(new Error('read'), { code: 'EIO' });
    return super.read(name);
  }
}

/** Counts how many files are read at once. */
class WatchedFolder extends KeyFolder {
  private reading = 0;
  most = 0;

  override async read(name: string) {
    this.most = Math.max(this.most, ++this.reading);
    return super.read(name).finally(() => this.reading--);
  }
}

describe('the keyring', () => {
  const [made] = SERVICE_KEYS;
  let dirs: { pems: string; passphrases: string };
  const lines: string[] = [];
  const log: Log = openLog('keyring', { write: (line: string) => void lines.push(line) });
  let keyring: Keyring | undefined;
  beforeEach(async () => {
    dirs = { pems: await mkdtemp(join(tmpdir(), 'codase-pems-')), passphrases: await mkdtemp(join(tmpdir(), 'codase-passphrases-')) };
    lines.length = 0;
    await writeFile(join(dirs.pems, 'shop.pem'), made.pem, { mode: 0o600 });
    await writeFile(join(dirs.passphrases, 'shop.passphrase'), `${made.passphrase}\r\n`, { mode: 0o600 });
  });
  afterEach(async () => {
    await keyring?.close();
    for (const dir of Object.values(dirs)) await rm(dir, { recursive: true });
  });

  /** Stands for the worker threads, which these tests do not ask to open anything. */
  const threads = { add: (key: ThreadKey) => new OpeningKey(1, key), remove: () => undefined };
  const open = async (folder: KeyFolder) => (keyring = await Keyring.open({ folder, pollSeconds: 0.05, threads, log }));
  const usual = { strict: true };

  it('reads a key and its passphrase from separate folders', async () => {
    const ring = await open(new KeyFolder({ ...dirs, ...usual }));

    expect(ring.check()).toBeNull();
    expect(() => ring.valueKey('shop')).not.toThrow();
  });

  it('reads at most four files at once', async () => {
    const services = Array.from({ length: 5 }, (_, nth) => `shop${nth}`);
    for (const service of services) {
      await writeFile(join(dirs.pems, `${service}.pem`), made.pem, { mode: 0o600 });
      await writeFile(join(dirs.passphrases, `${service}.passphrase`), made.passphrase, { mode: 0o600 });
    }
    const folder = new WatchedFolder({ ...dirs, ...usual });
    const ring = await open(folder);

    expect(ring.check()).toBeNull();
    for (const service of ['shop', ...services]) expect(() => ring.valueKey(service)).not.toThrow();
    expect(folder.most).toBe(4);
  });

  it('retries an unchanged file after a read error', async () => {
    const folder = new FlakyFolder({ ...dirs, ...usual });
    folder.failures = 2;
    const ring = await open(folder);
    expect(ring.check()).toBe('shop.pem: cannot be read (EIO)');

    for (let attempts = 0; attempts < 600 && ring.check() !== null; attempts++) await pause(20);

    expect(ring.check()).toBeNull();
    expect(folder.failures).toBeLessThan(0);
    expect(lines.filter((line) => line.includes('cannot be used'))).toHaveLength(1);
  });

  it.each(['shop.pem', 'shop.passphrase'])('does not use a key while others can read its %s, and says how to fix it', async (file) => {
    const path = join(file.endsWith('.pem') ? dirs.pems : dirs.passphrases, file);
    await chmod(path, 0o644);
    const ring = await open(new KeyFolder({ ...dirs, ...usual }));
    expect(ring.check()).toBe(`shop.pem: others than its owner have rights on ${file} (mode 644): chmod 600 it`);

    await chmod(path, 0o600);
    for (let attempts = 0; attempts < 600 && ring.check() !== null; attempts++) await pause(20);

    expect(ring.check()).toBeNull();
  });

  it('measures how many files it cannot use, until they are fixed', async () => {
    const telemetry = collectTelemetry();
    const faulty = async () => (await telemetry.measured()).find(({ name }) => name === 'codase.decryptor.key.faulty')?.value;
    await writeFile(join(dirs.pems, 'desk.pem'), made.pem, { mode: 0o600 });
    await writeFile(join(dirs.passphrases, 'desk.passphrase'), 'a wrong one', { mode: 0o600 });
    const ring = await open(new KeyFolder({ ...dirs, ...usual }));
    expect(await faulty()).toBe(1);

    await writeFile(join(dirs.passphrases, 'desk.passphrase'), made.passphrase);
    for (let attempts = 0; attempts < 600 && ring.check() !== null; attempts++) await pause(20);

    expect(await faulty()).toBe(0);
    await rm(dirs.pems, { recursive: true });
    for (let attempts = 0; attempts < 600 && ring.check() === null; attempts++) await pause(20);
    expect(await faulty()).toBe(1);
    await mkdir(dirs.pems);
    forgetTelemetry();
  });

  it('accepts a readable key file with a warning in development', async () => {
    await chmod(join(dirs.pems, 'shop.pem'), 0o644);
    const ring = await open(new KeyFolder({ ...dirs, strict: false }));

    expect(ring.check()).toEqual({ note: expect.stringContaining('(mode 644)') });
    expect(lines.join('')).toContain('production would refuse it');
  });
});
