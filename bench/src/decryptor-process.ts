import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Opener } from '@codase/client';
import { SUITE_USERS, internalConsumer, OPEN_VALUES, type Sealed } from '@codase/contracts';
import { createServiceKey, importValuePublicKey, sealValue } from '@codase/crypto';
import { readPrivateKeyPem } from '@codase/crypto/open';
import { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import { findNatsServer, startNats, type Nats } from '@codase/servers';
import { natsAccounts, Secrets } from '@codase/stack';
import { threadsCpuMicroseconds } from './harness/process-cpu.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PASSWORD = 'only-for-benches';
const READER = 'reader';
const TEXT = '{"street":"Storgatan 1","postal_code":"211 34","city":"Malmö","country":"SE"}';
const DIFFERENT = 50;

const ACCOUNTS = natsAccounts([...SUITE_USERS, internalConsumer(READER, ['shop'])], () => PASSWORD);

/** The decryptor as a company runs it: in its own process, connected by NATS to an internal service, which is this process. */
export class DecryptorProcess {
  private requests = 0;

  private constructor(
    private readonly nats: Nats,
    private readonly secrets: Secrets,
    private readonly child: ChildProcess,
    private readonly bus: Bus,
    /** Opens values one by one, as a service of the company does. */
    readonly opener: Opener,
    /** Different values that are sealed to the decryptor's key. */
    readonly sealed: readonly Sealed[],
    /** The private key of the decryptor, for the floor. */
    readonly pkcs8: Uint8Array,
  ) {}

  static async start(): Promise<DecryptorProcess> {
    const server = await findNatsServer({ cacheDir: join(ROOT, '.cache') });
    const nats = await startNats(server, { durable: false, config: { accounts: ACCOUNTS } });
    const { public_key, pem, passphrase } = await createServiceKey();
    const secrets = new Secrets();
    const child = await spawnDecryptor(nats.url, secrets.mount('keys', { 'shop.passphrase': passphrase, 'shop.pem': pem }));
    const bus = await Bus.connect({ url: nats.url, user: READER, password: PASSWORD, name: READER, log: silentLog });
    const key = await importValuePublicKey(public_key);
    const sealed = await Promise.all(Array.from({ length: DIFFERENT }, async () => (await sealValue(key, TEXT)) as Sealed));
    const opener = Opener.forService(bus, 'shop');
    return new DecryptorProcess(nats, secrets, child, bus, opener, sealed, await readPrivateKeyPem(pem, passphrase));
  }

  /** Has a batch of values opened and checks every answer. */
  async open(values: number): Promise<void> {
    const batch = Array.from({ length: values }, (_, i) => ({ value: this.sealed[i % this.sealed.length]! }));
    const { items } = await this.bus.request(OPEN_VALUES, { service: 'shop' }, { values: batch }, { timeout: 60_000 });
    if (items.some((item) => !('plaintext' in item) || item.plaintext !== TEXT)) throw wrong();
  }

  /** Has one value opened, as one of many simultaneous callers. */
  async openOne(): Promise<void> {
    const { plaintext } = await this.opener.open({ value: this.sealed[this.requests++ % this.sealed.length]! });
    if (plaintext !== TEXT) throw wrong();
  }

  /** Microseconds of CPU that this process, the decryptor and the bus have used so far. */
  get cpu(): Record<'client' | 'decryptor' | 'nats', number> {
    const { user, system } = process.cpuUsage();
    return { client: user + system, decryptor: threadsCpuMicroseconds(this.child.pid!), nats: threadsCpuMicroseconds(this.nats.pid) };
  }

  /** Returns the resident memory of the decryptor in MB. */
  async memory(): Promise<number> {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(this.child.pid)]);
    return Number(stdout) / 1024;
  }

  async stop(): Promise<void> {
    await this.bus.close();
    const gone = once(this.child, 'exit');
    this.child.kill();
    await gone;
    await this.nats.stop();
    this.secrets.unmount();
  }
}

const wrong = () => new Error('The decryptor gave a wrong answer: a rate would mean nothing.');

async function spawnDecryptor(url: string, dir: string): Promise<ChildProcess> {
  const env = {
    PATH: process.env['PATH'],
    OPS_PORT: '0',
    NATS_URL: url,
    NATS_USER: 'decryptor',
    NATS_PASSWORD: PASSWORD,
    LOG_LEVEL: 'error',
    KEYS_DIR: dir,
    CALLERS: JSON.stringify({ [READER]: { values: ['shop'] } }),
  };
  const main = join(ROOT, 'apps/decryptor/dist/main.js');
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const died = once(child, 'exit').then(() => {
    throw new Error('The decryptor ended before it was ready: see its message above.');
  });
  await Promise.race([once(child, 'message'), died]);
  died.catch(() => undefined); // its later end is intended
  return child;
}
