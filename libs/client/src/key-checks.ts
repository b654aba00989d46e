import { auditLog, operation, Refusal } from '@codase/contracts';
import { KeyLog, KeyNotLogged, publicKeySha256, type HeadKey, type SeenHead } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';
import type { Clock } from '@codase/runtime/clock';
import { retry } from '@codase/runtime/resilience';
import { count, countFromZero, type Log } from '@codase/runtime/telemetry';
import { METRICS } from './metrics.ts';

/** How the keys of readers are checked in the transparency log of the platform. */
export interface KeyLogOptions {
  /**
   * `warn` logs and counts a key that the log does not show, and seals to it all the same; `require` refuses to; `off` checks nothing.
   * `warn` when absent.
   */
  mode?: 'off' | 'warn' | 'require' | undefined;
  /**
   * The keys that sign the log of the platform's front door, which lists them at `/.well-known/codase-log/keys`. Give them when you have
   * compared them yourself: without them the region says which they are, and a region in the wrong hands could name its own.
   */
  keys?: readonly HeadKey[] | undefined;
  /** The head of the log that was seen last, for example before the process was started again. */
  seen?: SeenHead | undefined;
  /** Called with each newer head that was seen, so that it can be kept. */
  onSeen?: ((head: SeenHead) => void) | undefined;
}

interface Parts {
  bus: Bus;
  service: string;
  clock: Clock;
  log: Log;
}

type Outcome = 'logged' | 'not_logged' | 'waiting' | 'unavailable';

/** How long a proof may take. Without `require`, what is to be sealed does not wait longer for a platform that does not answer. */
const ANSWER_MS = { require: 15_000, warn: 5000, off: 0 } as const;
/** A new key is in the log after some seconds. */
const WAITING = { backoff: { firstMs: 1000, longestMs: 5000, jitter: 0.2 }, bound: { withinMs: 60_000 } } as const;
/** After a proof that could not be had, no other one is asked for in this time, unless it is required. */
const PAUSE_MS = 30_000;

/** Checks that the transparency log of the front door has a public key, before something is sealed to it. @gap D1-8 */
export class KeyChecks {
  readonly mode: NonNullable<KeyLogOptions['mode']>;
  private readonly keyLog: KeyLog;
  private pausedUntil = -Infinity;

  constructor(
    private readonly parts: Parts,
    private readonly options: KeyLogOptions = {},
  ) {
    this.mode = options.mode ?? 'warn';
    this.keyLog = new KeyLog({ now: () => parts.clock.now().getTime(), keys: options.keys ?? [], seen: options.seen });
    for (const outcome of ['logged', 'not_logged', 'waiting', 'unavailable'] as const)
      countFromZero(METRICS.keysChecked, this.labels(outcome));
  }

  /** Checks the key of an account, and returns whether it need not be checked again. Throws when it is required and not shown. */
  async check(shareCode: () => Promise<string | null>, public_key: string): Promise<boolean> {
    if (this.mode === 'off') return true;
    if (this.mode === 'warn' && this.now() < this.pausedUntil) return this.counted('unavailable');
    try {
      const owner = await shareCode();
      if (!owner) throw new Refusal('keys.not_logged').because('The reader has no share code, by which the log names a key');
      await this.prove(owner, public_key);
      return this.counted('logged');
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'unavailable') this.pausedUntil = this.now() + PAUSE_MS;
      this.counted(outcome);
      if (this.mode === 'require') throw error;
      if (outcome !== 'waiting')
        this.parts.log.warn('the key of a reader was not shown by the transparency log', { ...this.labels(outcome), error });
      return false;
    }
  }

  private async prove(owner: string, public_key: string): Promise<void> {
    const key = { kind: 'account', owner, key_sha256: await publicKeySha256(public_key) } as const;
    const ask = (seen: SeenHead | undefined) => this.ask(key, seen);
    const before = this.keyLog.seen;
    const once = () => this.keyLog.check(key, ask, ({ keys }) => this.options.keys ?? keys);
    const isWorth = (error: unknown) => this.mode === 'require' && outcomeOf(error) === 'waiting';
    await retry(once, { ...WAITING, metric: METRICS.keyChecksRetried, isWorth });
    if (this.keyLog.seen !== before) this.options.onSeen?.(this.keyLog.seen!);
  }

  private ask(params: { kind: 'account'; owner: string; key_sha256: string }, seen: SeenHead | undefined) {
    const query = seen ? { seen_log: String(seen.log), seen_size: String(seen.size) } : {};
    const timeout = ANSWER_MS[this.mode];
    return this.parts.bus.request(operation(auditLog.readKeyProof), { service: this.parts.service }, { params, query }, { timeout });
  }

  private counted(outcome: Outcome): boolean {
    count(METRICS.keysChecked, this.labels(outcome));
    return outcome === 'logged';
  }

  private labels = (outcome: Outcome) => ({ 'codase.service': this.parts.service, 'codase.outcome': outcome });
  private now = () => this.parts.clock.now().getTime();
}

function outcomeOf(error: unknown): Outcome {
  if (error instanceof KeyNotLogged) return 'not_logged';
  const key = error instanceof Refusal ? error.key : undefined;
  if (key === 'keys.not_logged') return 'not_logged';
  return key === 'keys.not_logged_yet' ? 'waiting' : 'unavailable';
}
