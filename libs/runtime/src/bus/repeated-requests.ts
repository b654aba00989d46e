import { TimeoutError } from '@nats-io/transport-node';
import { Refusal, retryAdvice, type Subject } from '@codase/contracts';
import { hedge } from '../resilience/hedge.ts';
import { RetryBudget } from '../resilience/retry-budget.ts';
import { retry } from '../resilience/retry.ts';
import { countFromZero, RUNTIME_METRICS } from '../telemetry/index.ts';
import { isUnheard } from './bus-failures.ts';

/** Sends the request once, and waits for the answer for so many milliseconds at most. */
type Ask<T> = (mostMs: number) => Promise<T>;

/** Sends requests again that get no answer, as often and as soon as their subjects allow (decision 63). */
export class RepeatedRequests {
  private readonly budget = new RetryBudget(REPEATS);
  /** Patterns of the subjects on which requests were sent. */
  private readonly sent = new Set<string>();

  send<T>(subject: Subject, timeout: number, ask: Ask<T>): Promise<T> {
    this.countFromZero(subject);
    const attributes = { 'messaging.destination.template': subject.pattern };
    const askUntilHeard = (mostMs = Infinity) =>
      retry(() => ask(mostMs), {
        backoff: UNHEARD_BACKOFF,
        bound: { withinMs: Math.min(UNHEARD_MS, timeout) },
        metric: RUNTIME_METRICS.busUnheardRetried,
        attributes,
        isWorth: isUnheard,
      });
    const metric = RUNTIME_METRICS.busRepeated;
    if (subject.idempotent === 'at_once' || subject.idempotent === 'costly') {
      const options = { afterMs: HEDGE_AFTER_MS[subject.idempotent], budget: this.budget, isFinal: isRefusedForGood, metric, attributes };
      return hedge(() => askUntilHeard(), options);
    }
    if (subject.idempotent === 'in_turn' && timeout > FIRST_TURN_MS) {
      const turns = [FIRST_TURN_MS, Infinity];
      const options = { backoff: NO_PAUSE, bound: { attempts: turns.length }, metric, attributes, isWorth: isLate };
      return retry(() => askUntilHeard(turns.shift()), options);
    }
    return askUntilHeard();
  }

  private countFromZero({ pattern, idempotent }: Subject): void {
    if (this.sent.has(pattern)) return;
    this.sent.add(pattern);
    const attributes = { 'messaging.destination.template': pattern };
    countFromZero(RUNTIME_METRICS.busUnheardRetried, attributes);
    if (idempotent) countFromZero(RUNTIME_METRICS.busRepeated, attributes);
  }
}

/** How many requests may be repeated: a share of all that are sent, and at most so many at once. */
const REPEATS = { share: 0.1, most: 50 };

/** Pauses before a request without an answer is sent again. After three attempts, the replicas are slow, not dead. */
const HEDGE_AFTER_MS = { at_once: [400, 800], costly: [1000] };
/** Whether a refusal ends the request. A busy replica does not: another one may still answer the first attempt. */
const isRefusedForGood = (error: unknown): boolean =>
  error instanceof Refusal && !['later', 'in_doubt'].includes(retryAdvice(error.key).retry);
/** How long the first of two attempts waits. The second attempt has the rest of the time. */
const FIRST_TURN_MS = 1000;
const NO_PAUSE = { firstMs: 0, longestMs: 0 };
const isLate = (error: unknown): boolean => error instanceof TimeoutError;

/** Pauses while nobody listens: after the loss of a node, subscriptions are back on another one within half a second. */
const UNHEARD_BACKOFF = { firstMs: 50, longestMs: 200 };
const UNHEARD_MS = 800;
