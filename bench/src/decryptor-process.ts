import { join } from 'node:path';
import { Opener } from '@codase/client';
import { suiteUsers, internalConsumer, OPEN_VALUES, type Sealed } from '@codase/contracts';
import { createServiceKey, importValuePublicKey, sealValue } from '@codase/crypto';
import { readPrivateKeyPem } from '@codase/crypto/open';
import { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { Nats } from '@codase/servers';
import { natsAccounts, ROOT, Secrets } from '@codase/stack';
import { startBenchNats } from './harness/bench-bus.ts';
import { threadsCpuMicroseconds } from './harness/process-cpu.ts';
import { ServerProcess } from './harness/server-process.ts';

const PASSWORD = 'only-for-benches';
const READER = 'reader';
const TEXT = '{"street":"Storgatan 1","postal_code":"211 34","city":"Malmö","country":"SE"}';
const DIFFERENT = 50;

const ACCOUNTS = natsAccounts([...suiteUsers(['shop']), internalConsumer(READER, ['shop'])], () => PASSWORD);

/** The decryptor as a company runs it: in its own process, connected by NATS to an internal service, which is this process. */
export class DecryptorProcess {
  private requests = 0;

  private constructor(
    private readonly nats: Nats,
    private readonly secrets: Secrets,
    private readonly server: ServerProcess,
    private readonly bus: Bus,
    /** Opens values one by one, as a service of the company does. */
    readonly opener: Opener,
    /** Different values that are sealed to the decryptor's key. */
    readonly sealed: readonly Sealed[],
    readonly pkcs8: Uint8Array,
  ) {}

  static async start(): Promise<DecryptorProcess> {
    const nats = await startBenchNats({ durable: false, config: { accounts: ACCOUNTS } });
    const { public_key, pem, passphrase } = await createServiceKey();
    const secrets = new Secrets();
    const keys = secrets.mount('keys', { 'shop.passphrase': passphrase, 'shop.pem': pem });
    const server = await startDecryptor(nats.url, keys);
    const bus = await Bus.connect({ url: nats.url, user: READER, password: PASSWORD, name: READER, log: silentLog });
    const key = await importValuePublicKey(public_key);
    const sealed = await Promise.all(Array.from({ length: DIFFERENT }, async () => (await sealValue(key, TEXT)) as Sealed));
    const opener = Opener.forService(bus, 'shop');
    return new DecryptorProcess(nats, secrets, server, bus, opener, sealed, await readPrivateKeyPem(pem, passphrase));
  }

  async open(values: number): Promise<void> {
    const batch = Array.from({ length: values }, (_, i) => ({ value: this.sealed[i % this.sealed.length]! }));
    const { items } = await this.bus.request(OPEN_VALUES, { service: 'shop' }, { values: batch }, { timeout: 60_000 });
    if (items.some((item) => !('plaintext' in item) || item.plaintext !== TEXT)) throw wrong();
  }

  async openOne(): Promise<void> {
    const { plaintext } = await this.opener.open({ value: this.sealed[this.requests++ % this.sealed.length]! });
    if (plaintext !== TEXT) throw wrong();
  }

  get cpu(): Record<'client' | 'decryptor' | 'nats', number> {
    const { user, system } = process.cpuUsage();
    return { client: user + system, decryptor: threadsCpuMicroseconds(this.server.pid), nats: threadsCpuMicroseconds(this.nats.pid) };
  }

  get residentMegabytes(): number {
    return this.server.residentMegabytes;
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.server.stop();
    await this.nats.stop();
    this.secrets.unmount();
  }
}

const wrong = () => new Error('The decryptor gave a wrong answer: a rate would mean nothing.');

const startDecryptor = (NATS_URL: string, KEYS_DIR: string): Promise<ServerProcess> =>
  ServerProcess.start(join(ROOT, 'apps/decryptor/dist/main.js'), {
    OPS_PORT: '0',
    NATS_URL,
    NATS_USER: 'decryptor',
    NATS_PASSWORD: PASSWORD,
    KEYS_DIR,
    CALLERS: JSON.stringify({ [READER]: { values: ['shop'] } }),
  });
