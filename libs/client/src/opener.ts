import {
  isSealed,
  readShape,
  OPEN_ACCOUNT_VALUES,
  OPEN_VALUE,
  OPEN_VALUES,
  Refusal,
  SEALED_CHARS,
  UNWRAP_ACCOUNT_VALUE,
  UNWRAP_KEY,
  UPLOAD_CHARS,
  type Opened,
  type ToOpen,
} from '@codase/contracts';
import { CryptoRefusal, isAttested, takeApart } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import { Batcher } from '@codase/runtime/resilience';
import { count, countFromZero } from '@codase/runtime/telemetry';
import { METRICS } from './metrics.ts';

/** A value that was opened, or the reason why not: it does not open, or it is longer than any file may be. */
export type OpenedItem = Opened | { error_key: 'decryptor.unreadable' | 'documents.too_large' };

const UNREADABLE = { error_key: 'decryptor.unreadable' } as const;
const TOO_LARGE = { error_key: 'documents.too_large' } as const;
/** The members of a request beside its value. */
const Judging = OPEN_VALUE.message.omit({ value: true });

/** The number of requests at once, and of values in each. Further values wait here, where no timeout runs, and not in the decryptor. */
const AT_ONCE = 4;
const VALUES_AT_ONCE = 25;
const TIMEOUT = { timeout: 10_000 };
/** The part of the largest bus message that values may fill: an answer may hold a value twice, as text and parsed. */
const SHARE = 1 / 4;

/** A key that the decryptor holds, and what can be asked of it. */
interface KeyAtDecryptor {
  /** The service that is counted. */
  service: string;
  open(values: ToOpen[]): Promise<{ items: OpenedItem[] }>;
  unwrap(wrapped_key: string): Promise<{ value_key: string }>;
}

const serviceKey = (bus: Bus, service: string): KeyAtDecryptor => ({
  service,
  open: (values) => bus.request(OPEN_VALUES, { service }, { values }, TIMEOUT),
  unwrap: (wrapped_key) => bus.request(UNWRAP_KEY, { service }, { wrapped_key }, TIMEOUT),
});

/** The account key of the company. It is counted under its name at the decryptor, which no service has. */
const accountKey = (bus: Bus): KeyAtDecryptor => ({
  service: 'account',
  open: (values) => bus.request(OPEN_ACCOUNT_VALUES, {}, { values }, TIMEOUT),
  unwrap: (wrapped_key) => bus.request(UNWRAP_ACCOUNT_VALUE, {}, { wrapped_key }, TIMEOUT),
});

/** Asks the decryptor to open values with one key. The values that all handlers ask for within one tick go as one request. */
export class Opener {
  private readonly key: KeyAtDecryptor;
  private readonly batches: Batcher<ToOpen, OpenedItem>;

  private constructor(bus: Bus, key: KeyAtDecryptor) {
    this.key = key;
    countFromZero(METRICS.openRequested, { 'codase.service': key.service });
    this.batches = new Batcher((values) => this.request(values), {
      most: VALUES_AT_ONCE,
      concurrency: AT_ONCE,
      weight: { of: ({ value }) => value.length, most: () => bus.messageBytes * SHARE },
    });
  }

  static forService(bus: Bus, service: string): Opener {
    return new Opener(bus, serviceKey(bus, service));
  }

  static forAccount(bus: Bus): Opener {
    return new Opener(bus, accountKey(bus));
  }

  /** Opens one value of any length. Throws a refusal when it does not open. */
  async open(toOpen: ToOpen): Promise<Opened> {
    const item = await this.ask(toOpen);
    if ('error_key' in item) throw new Refusal(item.error_key);
    return item;
  }

  /** Opens any number of values. Returns the results in order; a value that does not open has an error in its place. */
  async openAll(values: readonly ToOpen[]): Promise<OpenedItem[]> {
    return await Promise.all(values.map((toOpen) => Promise.resolve(this.ask(toOpen))));
  }

  private ask({ value, ...judging }: ToOpen): OpenedItem | Promise<OpenedItem> {
    if (Object.keys(judging).length > 0) readShape(Judging, judging, 'message');
    const chars = typeof value === 'string' ? value.length : 0;
    if (chars > UPLOAD_CHARS) return TOO_LARGE;
    if (chars > SEALED_CHARS) return this.openHere({ value, ...judging });
    // Checked here, so that a bad value does not spoil the request that it would share with others.
    if (!isSealed(value)) return UNREADABLE;
    return this.batches.add({ value, ...judging });
  }

  /**
   * Opens a value that is longer than the bus carries. The value stays in this process, and the decryptor unwraps only its key. The value
   * is not checked against its field type, because only the decryptor has the registry. @gap D1-2.8
   */
  private async openHere({ value, verification }: ToOpen): Promise<OpenedItem> {
    const apart = await takeApart(value).catch(unreadable);
    if (!apart) return UNREADABLE;
    const { wrapped_key, openWith } = apart;
    const plaintext = await openWith(await this.unwrapKey(wrapped_key)).catch(unreadable);
    if (plaintext === undefined) return UNREADABLE;
    return { plaintext, attested: verification ? await isAttested(verification, plaintext) : null };
  }

  /** Returns the unwrapped key of one value, in base64, for a caller that has the value. */
  async unwrapKey(wrapped_key: string): Promise<string> {
    count(METRICS.openRequested, { 'codase.service': this.key.service });
    return (await this.key.unwrap(wrapped_key)).value_key;
  }

  private async request(values: ToOpen[]): Promise<OpenedItem[]> {
    count(METRICS.openRequested, { 'codase.service': this.key.service }, values.length);
    const { items } = await this.key.open(values);
    if (items.length !== values.length) throw new Refusal('service.unavailable').because('The decryptor did not answer every value');
    return items;
  }
}

/** Returns undefined for every fault of a value, so that all of them give the same answer. Throws a fault of this client. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof CryptoRefusal)) throw error;
}
