import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  filter,
  internalConsumer,
  OPEN_ACCOUNT_VALUES,
  OPEN_PAYLOAD,
  OPEN_VALUE,
  OPEN_VALUES,
  suiteUsers,
  UNWRAP_ACCOUNT_VALUE,
  UNWRAP_KEY,
  type BusUser,
  type Sealed,
} from '@codase/contracts';
import { importAccountPublicKey, importValuePublicKey, sealAccountEnvelope, sealValue, type ServiceKey } from '@codase/crypto';
import { Bus } from '@codase/runtime/bus';
import { readConfig } from '@codase/runtime/config';
import type { RunningService } from '@codase/runtime/service';
import { openLog, silentLog } from '@codase/runtime/telemetry';
import { startNats, type Nats, type NatsServer } from '@codase/servers';
import { natsAccounts } from '@codase/stack';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { Config, start } from '../src/index.ts';

const PASSWORD = 'only-for-tests';

/** A user with far too many rights on the bus, so that only the decryptor's own check is left. */
const NOSY: BusUser = {
  user: 'nosy',
  account: 'decryptor',
  plane: 'suite',
  publish: [OPEN_VALUE, OPEN_VALUES, OPEN_PAYLOAD, UNWRAP_KEY, OPEN_ACCOUNT_VALUES, UNWRAP_ACCOUNT_VALUE].map((subject) => filter(subject)),
  subscribe: ['_INBOX_nosy.>', 'elsewhere.>'],
};
const ACCOUNTS = natsAccounts(
  [
    ...suiteUsers(['shop']),
    internalConsumer('shop-backend', ['shop', 'annex']),
    internalConsumer('desk-backend', ['desk']),
    internalConsumer('sign-in-page', [], [], { account: true }),
    NOSY,
  ],
  () => PASSWORD,
);

export const CALLERS = {
  'shop-backend': { values: ['shop', 'annex'] },
  'desk-backend': { values: ['desk'] },
  'feed-consumer': { payloads: ['shop'] },
  flows: { values: ['shop'] },
  'sign-in-page': { account: true },
};

type Keys = Record<'shop' | 'desk' | 'account', ServiceKey>;
const [shop, desk, account] = SERVICE_KEYS;
const KEYS: Keys = { shop, desk, account };

interface Answer {
  ready: boolean;
  checks: Record<string, string>;
}

/** A company's bus with its users, a folder of keys, and the decryptor between them. */
export class Suite {
  readonly lines: string[] = [];
  private readonly buses: Bus[] = [];
  private decryptor: RunningService | undefined;

  private constructor(
    readonly keys: Keys,
    private readonly nats: Nats,
    private readonly dir: string,
    private readonly passphrases: string,
  ) {}

  static async open(settings: Record<string, string> = {}): Promise<Suite> {
    const server = JSON.parse(process.env['CODASE_TEST_NATS_SERVER']!) as NatsServer;
    const nats = await startNats(server, { durable: false, config: { accounts: ACCOUNTS } });
    const suite = new Suite(KEYS, nats, await folder('keys'), await folder('passphrases'));
    for (const name of ['shop', 'desk', 'account'] as const) await suite.mount(name, suite.keys[name]);
    const bus = { NATS_URL: nats.url, NATS_USER: 'decryptor', NATS_PASSWORD: PASSWORD };
    const own = { KEYS_DIR: suite.dir, PASSPHRASES_DIR: suite.passphrases, KEYS_POLL_SECONDS: '0.05', CALLERS: JSON.stringify(CALLERS) };
    const log = openLog('decryptor', { write: (line: string) => void suite.lines.push(line) });
    suite.decryptor = await start(readConfig(Config, { OPS_PORT: '0', ...bus, ...own, ...settings }), { log });
    return suite;
  }

  /** Adds or replaces a key; a part that is left out is not written. */
  async mount(name: string, { pem, passphrase }: { pem?: string; passphrase?: string }): Promise<void> {
    if (passphrase !== undefined) await putFile(this.passphrases, `${name}.passphrase`, `${passphrase}\n`);
    if (pem !== undefined) await putFile(this.dir, `${name}.pem`, pem);
  }

  async unmount(name: string): Promise<void> {
    await rm(join(this.dir, `${name}.pem`), { force: true });
    await rm(join(this.passphrases, `${name}.passphrase`), { force: true });
  }

  async as(user: string): Promise<Bus> {
    const bus = await Bus.connect({ url: this.nats.url, user, password: PASSWORD, name: user, log: silentLog });
    this.buses.push(bus);
    return bus;
  }

  async seals(to: keyof Keys, plaintext: string): Promise<Sealed> {
    return (await sealValue(await importValuePublicKey(this.keys[to].public_key), plaintext)) as Sealed;
  }

  async wraps(body: string): Promise<Sealed> {
    return (await sealAccountEnvelope(await importAccountPublicKey(this.keys.account.public_key), body)) as Sealed;
  }

  async readiness(): Promise<Answer> {
    return (await (await fetch(`${this.decryptor!.opsUrl}/readyz`)).json()) as Answer;
  }

  async close(): Promise<void> {
    await Promise.all(this.buses.map((bus) => bus.close()));
    await this.decryptor?.close();
    await this.nats.stop();
    for (const dir of [this.dir, this.passphrases]) await rm(dir, { recursive: true, force: true });
  }
}

const folder = (what: string) => mkdtemp(join(tmpdir(), `codase-${what}-`));

async function putFile(dir: string, file: string, text: string): Promise<void> {
  await writeFile(join(dir, `.${file}.new`), text, { mode: 0o600 });
  await rename(join(dir, `.${file}.new`), join(dir, file));
}
