import {
  BUS_MESSAGE_BYTES,
  isSealed,
  OPEN_BATCH_VALUES,
  OPEN_VALUE,
  OPEN_VALUES,
  Refusal,
  SEALED_CHARS,
  UNWRAP_KEY,
  UPLOAD_CHARS,
  type Opened,
  type ToOpen,
} from '@cds/contracts';
import { CryptoRefusal, isAttested, takeApart } from '@cds/crypto';
import type { Bus } from '@cds/runtime/bus';
import { count } from '@cds/runtime/telemetry';

/** A value that was opened, or why not: it does not open, or it is longer than any file may be. */
export type OpenedItem = Opened | { error_key: 'decryptor.unreadable' | 'documents.too_large' };

const UNREADABLE = { error_key: 'decryptor.unreadable' } as const;
const TOO_LARGE = { error_key: 'documents.too_large' } as const;
/** The members that may stand beside a value. */
const Judging = OPEN_VALUE.message.omit({ value: true });

/** Requests at once: what is asked for meanwhile goes with the next request. */
const AT_ONCE = 4;
const TIMEOUT_MS = 10_000;
/** Part of a message's largest size that values may fill: an answer may hold a value twice, as text and parsed. */
const SHARE = 1 / 4;

interface Waiting {
  toOpen: ToOpen;
  resolve(item: OpenedItem): void;
  reject(error: unknown): void;
}

/** Has the decryptor open values. What all handlers ask for within one tick goes as one request. */
export class Opener {
  private readonly bus: Bus;
  private readonly service: string;
  private waiting: Waiting[] = [];
  private underWay = 0;
  private isBatching = false;
  private onAnswered = (): void => undefined;

  constructor(bus: Bus, service: string) {
    this.bus = bus;
    this.service = service;
  }

  /** One value, whatever its length; one that does not open is refused. */
  async open(toOpen: ToOpen): Promise<Opened> {
    const item = await this.ask(toOpen);
    if ('error_key' in item) throw new Refusal(item.error_key);
    return item;
  }

  /** As many as you like, answered in order; one that does not open says so in its place. */
  openAll(values: readonly ToOpen[]): Promise<OpenedItem[]> {
    return Promise.all(values.map((toOpen) => this.ask(toOpen)));
  }

  private async ask({ value, ...judging }: ToOpen): Promise<OpenedItem> {
    const misfit = Judging.safeParse(judging).error?.issues[0];
    if (misfit) throw new Refusal('request.invalid').because(`${misfit.path.join('.') || 'value to open'}: ${misfit.message}`);
    const chars = typeof value === 'string' ? value.length : 0;
    if (chars > UPLOAD_CHARS) return TOO_LARGE;
    if (chars > SEALED_CHARS) return this.openHere({ value, ...judging });
    // Found here, so that it does not spoil the request it would share with others.
    if (!isSealed(value)) return UNREADABLE;
    const answer = new Promise<OpenedItem>((resolve, reject) => this.waiting.push({ toOpen: { value, ...judging }, resolve, reject }));
    if (!this.isBatching) void this.sendBatches();
    return answer;
  }

  /**
   * A value longer than the bus carries stays here, and the decryptor unwraps its own key. Nobody judges it by its field type: the registry
   * is the decryptor's. @gap D1-2.8
   */
  private async openHere({ value, verification }: ToOpen): Promise<OpenedItem> {
    const apart = await takeApart(value).catch(unreadable);
    if (!apart) return UNREADABLE;
    count('openAsked', { 'cds.service': this.service });
    const { wrapped_key, openWith } = apart;
    const { value_key } = await this.bus.request(UNWRAP_KEY, { service: this.service }, { wrapped_key }, { timeout: TIMEOUT_MS });
    const plaintext = await openWith(value_key).catch(unreadable);
    if (plaintext === undefined) return UNREADABLE;
    return { plaintext, attested: verification ? await isAttested(verification, plaintext) : null };
  }

  /** Collects what is asked for until a request may be sent. The request belongs to the trace of the first value in it. */
  private async sendBatches(): Promise<void> {
    this.isBatching = true;
    await new Promise((resolve) => setImmediate(resolve));
    while (this.underWay >= AT_ONCE) await new Promise<void>((resolve) => (this.onAnswered = resolve));
    this.isBatching = false;
    const batch = this.nextBatch();
    if (this.waiting.length > 0) void this.sendBatches();
    await this.send(batch);
  }

  private nextBatch(): Waiting[] {
    const most = (this.bus.connection.info?.max_payload ?? BUS_MESSAGE_BYTES) * SHARE;
    let [length, chars] = [0, 0];
    for (const { toOpen } of this.waiting) {
      chars += toOpen.value.length;
      if (length === OPEN_BATCH_VALUES || (length > 0 && chars > most)) break;
      length++;
    }
    return this.waiting.splice(0, length);
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    this.underWay++;
    try {
      const values = batch.map(({ toOpen }) => toOpen);
      count('openAsked', { 'cds.service': this.service }, values.length);
      const { items } = await this.bus.request(OPEN_VALUES, { service: this.service }, { values }, { timeout: TIMEOUT_MS });
      if (items.length !== batch.length) throw new Refusal('service.unavailable').because('The decryptor did not answer every value');
      for (const [i, { resolve }] of batch.entries()) resolve(items[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay--;
      this.onAnswered();
    }
  }
}

/** Every fault of a value gives the same answer; a fault of this client is thrown. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof CryptoRefusal)) throw error;
}
