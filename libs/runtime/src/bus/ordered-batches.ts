import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs } from '../resilience/backoff.ts';
import { poll } from '../resilience/poll.ts';
import { count, RUNTIME_METRICS } from '../telemetry/index.ts';
import { DeliveredMessages } from './delivered-messages.ts';
import type { Outcome } from './message-processor.ts';

/** How long to wait for messages that a replica has before ours are handed back to it; those that did not suffice double it. */
const PATIENCE = { firstMs: 50, longestMs: 10_000, jitter: 3 };
/** How long a replica then gets messages alone. */
const ASIDE = { firstMs: 200, longestMs: 5000, jitter: 1 };
/** How often the server is asked meanwhile. */
const QUESTIONS = 20;

interface Processor {
  group: { 'messaging.consumer.group.name': string };
  process(message: JsMsg): Promise<Outcome>;
  processTogether(messages: readonly JsMsg[]): Promise<readonly JsMsg[]>;
  handBack(message: JsMsg, pauseMs: number): unknown;
}

export interface BatchLimits {
  most: number;
  ackWaitMs: number;
  /** Aborted when the consumer is asked to stop. */
  stopping: AbortSignal;
}

/**
 * Handles the messages of a consumer in their order, several at once, on as many replicas as there are. A message is handled only when
 * every older one that is not acked is here too. Where replicas have some each, the ones that wait longest to no avail hand theirs back and
 * step aside for a while; chance says who, so that each gets its share of the consumers.
 */
export class OrderedBatches {
  /** How often in a row it stepped aside. */
  private aside = 0;

  constructor(
    private readonly processor: Processor,
    private readonly limits: BatchLimits,
  ) {}

  /** Settles when no more messages come; answers how long to stay aside, where that is why. */
  async hear(consumer: Pick<Consumer, 'info'>, messages: ConsumerMessages): Promise<number | undefined> {
    const delivered = new DeliveredMessages();
    const alive = setInterval(() => sayAlive(delivered), this.limits.ackWaitMs / 3).unref();
    const reading = read(messages, delivered);
    let asideMs: number | undefined;
    try {
      while ((await delivered.some()) && !this.limits.stopping.aborted) {
        const all = await this.allOf(consumer, delivered);
        if (all) await this.handle(all.slice(0, this.limits.most), delivered);
        else if (delivered.size > 0 && !this.limits.stopping.aborted) {
          asideMs = this.stepAside();
          break;
        }
      }
    } finally {
      clearInterval(alive);
      // What was received and not read yet is among them once the reading ended.
      await Promise.all([messages.close(), reading.catch(() => undefined)]);
      for (const message of delivered.release()) this.processor.handBack(message, 0);
    }
    if (asideMs === undefined) await reading;
    return asideMs;
  }

  /** Asks until all that the server waits for is here, none of it is any more, or the patience ends. */
  private async allOf(consumer: Pick<Consumer, 'info'>, delivered: DeliveredMessages): Promise<JsMsg[] | undefined> {
    const withinMs = backoffMs(PATIENCE, this.aside + 1);
    const ask = async () => {
      const info = await consumer.info().catch(() => undefined);
      const all = info && delivered.allOf(info);
      return all ?? (delivered.size === 0 ? [] : undefined);
    };
    const options = { everyMs: withinMs / QUESTIONS, withinMs, signal: this.limits.stopping };
    const all = await poll(ask, options).catch(() => undefined);
    return all?.length ? all : undefined;
  }

  private stepAside(): number {
    this.aside += 1;
    count(RUNTIME_METRICS.busSteppedAside, this.processor.group);
    return backoffMs(ASIDE, this.aside);
  }

  private async handle(batch: readonly JsMsg[], delivered: DeliveredMessages): Promise<void> {
    this.aside = 0;
    const done = batch.length > 1 ? await this.processor.processTogether(batch) : [];
    if (done.length === 0) return this.handleEach(batch, delivered);
    for (const message of done) delivered.delete(message);
  }

  /** Those behind one that comes again come again with it: none overtakes. */
  private async handleEach(batch: readonly JsMsg[], delivered: DeliveredMessages): Promise<void> {
    for (const message of batch) {
      if (this.limits.stopping.aborted) return;
      const outcome = await this.processor.process(message);
      delivered.delete(message);
      if (outcome === 'done') continue;
      for (const behind of delivered.release()) this.processor.handBack(behind, outcome.againInMs);
      return this.pause(outcome.againInMs);
    }
  }

  private async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.limits.stopping }).catch(() => undefined);
  }
}

async function read(messages: ConsumerMessages, delivered: DeliveredMessages): Promise<void> {
  try {
    for await (const message of messages) delivered.add(message);
  } finally {
    delivered.end();
  }
}

/** To the server they are being worked on, those that wait for their turn too. */
function sayAlive(delivered: DeliveredMessages): void {
  for (const message of delivered.inOrder()) message.working();
}
