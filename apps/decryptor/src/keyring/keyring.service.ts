import { Refusal } from '@codase/contracts';
import { CryptoRefusal, publicKeyOf, readPrivateKeyPem } from '@codase/crypto/open';
import { accountThreadKey, valueThreadKey, type ThreadKey } from '@codase/crypto/threads';
import { backoffMs, monotonic, repeat, type Repeated } from '@codase/runtime/resilience';
import { count, observe, type Log } from '@codase/runtime/telemetry';
import type { Note } from '@codase/runtime/service';
import { ACCOUNT } from '../open/callers.ts';
import type { OpeningKey, OpeningThreads } from '../open/opening-thread.service.ts';
import { KeyFault, type KeyFolder } from './key-folder.store.ts';
import { METRICS } from '../metrics.ts';

interface KeyringOptions {
  folder: Pick<KeyFolder, 'list' | 'read'>;
  pollSeconds: number;
  /** The worker threads, which hold the private keys. */
  threads: Pick<OpeningThreads, 'add' | 'remove'>;
  log: Log;
}

/** The pauses after which an unchanged file is read again that the system could not read. */
const RETRY = { firstMs: 1000, longestMs: 300_000 };

/** How many files are opened at once: a passphrase of 100,000 rounds keeps a core busy for 40 ms, and there may be a thousand. */
const FILES_AT_ONCE = 4;

/** The key of the company's account, for each of the two forms that are sealed to it. They differ in the hash of RSA-OAEP. */
interface AccountKeys<K> {
  envelopes: K;
  values: K;
}

interface Retry {
  failures: number;
  notBefore: number;
}

/**
 * The private keys of the folder, ready to use. A file that is added, replaced or removed takes effect within a few seconds. A file that
 * cannot be used is logged and changes nothing: the key that it should replace stays in use. A file that the system could not read is read
 * again, with growing pauses, until it can be read.
 */
export class Keyring {
  private readonly services = new Map<string, OpeningKey>();
  private readonly publicKeys = new Map<string, string>();
  private account: AccountKeys<OpeningKey> | undefined;
  private readonly marks = new Map<string, string>();
  private readonly faults = new Map<string, string>();
  private readonly warnings = new Map<string, string>();
  private readonly retries = new Map<string, Retry>();
  private folderFault: string | undefined;
  private reloading: Repeated | undefined;

  private readonly ends = [
    observe(METRICS.keysLoaded, () => [[this.services.size]]),
    observe(METRICS.keysFaulty, () => [[this.faults.size + (this.folderFault === undefined ? 0 : 1)]]),
  ];

  private constructor(private readonly options: KeyringOptions) {}

  /** Opens the keyring. Reads the folder once before it returns, and again after each pause. */
  static async open(options: KeyringOptions): Promise<Keyring> {
    const keyring = new Keyring(options);
    await keyring.start();
    return keyring;
  }

  valueKey(service: string): OpeningKey {
    const key = this.services.get(service);
    if (!key) throw new Refusal('decryptor.key_unknown');
    return key;
  }

  publicKey(service: string): string {
    const key = this.publicKeys.get(service);
    if (key === undefined) throw new Refusal('decryptor.key_unknown');
    return key;
  }

  /** Returns the keys of the account: for the envelopes of webhooks, and for values. */
  accountKeys(): AccountKeys<OpeningKey> {
    if (this.account) return this.account;
    throw new Refusal('decryptor.key_unknown').because(`The decryptor holds no account key: add ${ACCOUNT}.pem and its passphrase`);
  }

  /** Returns why the decryptor is not ready, which is so without any key. With some keys, faulty files are only noted. */
  check(): string | Note | null {
    const ofFiles = [...this.faults, ...this.warnings].map(([name, fault]) => `${name}.pem: ${fault}`).toSorted();
    const faults = (this.folderFault ? [this.folderFault, ...ofFiles] : ofFiles).join('; ');
    const isEmpty = this.services.size === 0 && !this.account;
    if (isEmpty) return faults || 'no key of any service: add NAME.pem to KEYS_DIR and NAME.passphrase to PASSPHRASES_DIR';
    return faults ? { note: faults } : null;
  }

  async close(): Promise<void> {
    for (const end of this.ends) end();
    await this.reloading?.stop();
  }

  private start(): Promise<void> {
    this.reloading = repeat(() => this.reload(), {
      name: 'keys',
      pauseMs: this.options.pollSeconds * 1000,
      onFailure: (error) => this.reportFolderFault(`KEYS_DIR: ${inWords(error)}`, error),
    });
    return this.reloading.first;
  }

  private async reload(): Promise<void> {
    const found = await this.options.folder.list();
    this.folderFault = undefined;
    const names = new Set(found.map(({ name }) => name));
    for (const name of this.marks.keys()) if (!names.has(name)) this.drop(name);
    const due = found.filter(({ name, mark }) => this.isDue(name, mark)).values();
    const takeSome = async () => {
      for (const { name, mark } of due) await this.take(name, mark);
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, takeSome));
  }

  private isDue(name: string, mark: string): boolean {
    if (this.marks.get(name) !== mark) return true;
    const retry = this.retries.get(name);
    return retry !== undefined && monotonic() >= retry.notBefore;
  }

  private async take(name: string, mark: string): Promise<void> {
    const before = this.marks.get(name) === mark ? this.retries.get(name) : undefined;
    if (before) count(METRICS.keyRetries);
    this.marks.set(name, mark);
    this.retries.delete(name);
    try {
      await this.load(name);
      this.faults.delete(name);
      this.options.log.info('key ready', { 'codase.service': name });
    } catch (error) {
      if (!isVerdict(error)) this.retryLater(name, (before?.failures ?? 0) + 1);
      this.reportFault(name, error);
    }
  }

  private retryLater(name: string, failures: number): void {
    this.retries.set(name, { failures, notBefore: monotonic() + backoffMs(RETRY, failures) });
  }

  /** Counts the fault each time, and logs it when it is new. */
  private reportFault(name: string, error: unknown): void {
    const fault = inWords(error);
    const isNew = this.faults.get(name) !== fault;
    this.faults.set(name, fault);
    count(METRICS.keyFaults);
    if (isNew) this.options.log.error(`key file cannot be used: ${fault}`, { 'codase.service': name, error });
  }

  private async load(name: string): Promise<void> {
    const { pem, passphrase, warnings } = await this.options.folder.read(name);
    const pkcs8 = await readPrivateKeyPem(pem, passphrase).finally(() => passphrase.fill(0));
    try {
      if (name === ACCOUNT) this.useForAccount({ envelopes: await accountThreadKey(pkcs8), values: await valueThreadKey(pkcs8) });
      else this.useFor(name, await valueThreadKey(pkcs8), await publicKeyOf(pkcs8));
    } finally {
      pkcs8.fill(0);
    }
    this.warn(name, warnings);
  }

  private useFor(service: string, key: ThreadKey, public_key: string): void {
    this.remove(this.services.get(service));
    this.services.set(service, this.options.threads.add(key));
    this.publicKeys.set(service, public_key);
  }

  private useForAccount(keys: AccountKeys<ThreadKey> | undefined): void {
    this.remove(this.account?.envelopes);
    this.remove(this.account?.values);
    const { threads } = this.options;
    this.account = keys && { envelopes: threads.add(keys.envelopes), values: threads.add(keys.values) };
  }

  private remove(key: OpeningKey | undefined): void {
    if (key) this.options.threads.remove(key);
  }

  private warn(name: string, warnings: readonly string[]): void {
    if (warnings.length === 0) return void this.warnings.delete(name);
    const warning = warnings.join('; ');
    this.warnings.set(name, warning);
    this.options.log.warn(`key file is not safe, and production would refuse it: ${warning}`, { 'codase.service': name });
  }

  private drop(name: string): void {
    this.marks.delete(name);
    for (const about of [this.faults, this.warnings, this.retries]) about.delete(name);
    if (name === ACCOUNT) this.useForAccount(undefined);
    else this.dropService(name);
    this.options.log.info('key removed', { 'codase.service': name });
  }

  private dropService(service: string): void {
    this.remove(this.services.get(service));
    for (const keys of [this.services, this.publicKeys]) keys.delete(service);
  }

  /** Logs the fault once. The loaded keys stay: a folder that is missing for a moment does not mean that they were removed. */
  private reportFolderFault(fault: string, error: unknown): void {
    if (this.folderFault === fault) return;
    this.folderFault = fault;
    count(METRICS.keyFaults);
    this.options.log.error('the folder of the keys cannot be read', { error });
  }
}

/** Whether the file was read and judged: reading it again would give the same result. */
const isVerdict = (error: unknown) => error instanceof KeyFault || error instanceof CryptoRefusal;

/** Returns the fault in own sentences and codes of the operating system, with nothing that was read from a file. */
function inWords(error: unknown): string {
  if (isVerdict(error)) return (error as Error).message;
  return `cannot be read (${(error as NodeJS.ErrnoException | undefined)?.code ?? 'for no known reason'})`;
}
