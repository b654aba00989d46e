import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type ErrorKey, type Opened, type ToOpen } from '@codase/contracts';
import { validatePlaintext, type FieldTypes } from '@codase/domain/field-types';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, measure, timed, type Log } from '@codase/runtime/telemetry';
import { CALLERS, FIELD_TYPES } from '../config.ts';
import { Keyring } from '../keyring/keyring.service.ts';
import { CallerRates } from './caller-rates.ts';
import { checkCaller, type Callers, type Wanted } from './callers.ts';
import { OpeningThreads, type OpenedText, type OpeningKey, type Sealed } from './opening-thread.service.ts';
import { Workload } from './workload.ts';
import { METRICS } from '../metrics.ts';

type Item = Opened | { error_key: 'decryptor.unreadable' };

/** Opens what callers may read and keeps nothing of it: the plaintext is in the reply and nowhere else. */
@Injectable()
export class OpenService {
  constructor(
    private readonly keyring: Keyring,
    private readonly threads: OpeningThreads,
    @Inject(CALLERS) private readonly callers: Callers,
    @Inject(FIELD_TYPES) private readonly types: FieldTypes,
    private readonly workload: Workload,
    private readonly rates: CallerRates,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** @spec D1-2.3 */
  openValue(toOpen: ToOpen, wanted: Wanted): Promise<Opened> {
    return this.serve(wanted, [toOpen.value], async () => {
      const [item] = await this.openAll(wanted, [toOpen]);
      return item ?? unreadable();
    });
  }

  /** Opens many values. A value that does not open does not make the others fail. @spec D1-2.3 */
  openValues(values: ToOpen[], wanted: Wanted): Promise<{ items: Item[] }> {
    const sealed = values.map(({ value }) => value);
    return this.serve(wanted, sealed, async () => {
      const items = await this.openAll(wanted, values);
      const failed = items.filter((item) => !item).length;
      if (failed > 0) refused(UNREADABLE, failed);
      return { items: items.map((item) => item ?? { error_key: UNREADABLE }) };
    });
  }

  /** Unwraps the key of a value, for callers that may open the whole value: it gives them no more. @spec D1-2.3 @gap D1-2.8 */
  unwrapKey(wrapped_key: string, wanted: Wanted): Promise<{ value_key: string }> {
    return this.serve(wanted, [wrapped_key], async () => {
      const { plaintext } = await this.openOne(wanted, { kind: 'wrapped_key', text: wrapped_key });
      return { value_key: plaintext };
    });
  }

  /** Returns the public key of a service, to callers that may read the service: no other has something to seal for it. @spec D2-2.3 */
  serviceKey(wanted: Wanted): { public_key: string } {
    checkCaller(this.callers, wanted);
    return { public_key: this.keyring.publicKey(wanted.service) };
  }

  /** @spec D1-2.3 @spec D1-6.4 */
  openPayload(envelope: string, wanted: Wanted): Promise<{ payload: string }> {
    return this.serve(wanted, [envelope], async () => {
      const { plaintext } = await this.openOne(wanted, { kind: 'envelope', text: envelope });
      return { payload: plaintext };
    });
  }

  private async serve<T>(wanted: Wanted, sealed: readonly string[], work: () => Promise<T>): Promise<T> {
    try {
      checkCaller(this.callers, wanted);
      this.rates.charge(wanted.by ?? '', sealed.length, this.clock.now());
      measure(METRICS.openBatch, sealed.length);
      const startedAt = performance.now();
      const answer = await this.workload.within(wanted.by ?? '', { values: sealed.length, chars: lengthOf(sealed) }, work);
      timed(METRICS.openTime, startedAt);
      this.log.info('opened', factsOf(wanted, sealed.length));
      return answer;
    } catch (error) {
      if (error instanceof Refusal) refused(error.key, sealed.length);
      const key = error instanceof Refusal ? error.key : 'service.unavailable';
      this.log.info('not opened', { ...factsOf(wanted, sealed.length), 'codase.error_key': key });
      throw error;
    }
  }

  private async openAll(wanted: Wanted, values: readonly ToOpen[]): Promise<(Opened | undefined)[]> {
    const sealed = values.map(({ value, verification }) => ({ kind: 'value' as const, text: value, verification }));
    const opened = await this.threads.open(this.keyFor(wanted), sealed);
    const good = opened.filter((item) => item).length;
    if (good > 0) count(METRICS.opened, { 'codase.service': wanted.service }, good);
    return opened.map((item, nth) => item && { ...item, ...judged(this.types, values[nth]!.field_type, item.plaintext) });
  }

  private async openOne(wanted: Wanted, sealed: Sealed): Promise<OpenedText> {
    const [opened] = await this.threads.open(this.keyFor(wanted), [sealed]);
    if (!opened) return unreadable();
    count(METRICS.opened, { 'codase.service': wanted.service });
    return opened;
  }

  private keyFor({ what, service }: Wanted): OpeningKey {
    if (what === 'values') return this.keyring.valueKey(service);
    const { envelopes, values } = this.keyring.accountKeys();
    return what === 'account' ? values : envelopes;
  }
}

const UNREADABLE = 'decryptor.unreadable';

/** Refuses with the same answer, whatever is wrong with a value or an envelope. @gap D1-2.3 */
function unreadable(): never {
  throw new Refusal(UNREADABLE);
}

/** Returns the facts of a log line. These lines are the audit of the decryptor: one for each request, and never a value. */
const factsOf = ({ by, service }: Wanted, values: number) => ({
  ...(by !== undefined && { 'codase.caller': by }),
  'codase.service': service,
  'codase.count': values,
});

const refused = (key: ErrorKey, values: number) => count(METRICS.openRefused, { 'codase.error_key': key }, values);

const lengthOf = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);

/** Validates a plaintext by the type of its request row. Returns nothing when no type was named. @spec D1-2.5 */
function judged(types: FieldTypes, field_type: string | undefined, plaintext: string): Pick<Opened, 'value' | 'misfit'> {
  if (field_type === undefined) return {};
  const verdict = validatePlaintext(types, field_type, plaintext);
  return verdict.ok ? { value: verdict.normalised } : { misfit: { ...verdict.reason } };
}
