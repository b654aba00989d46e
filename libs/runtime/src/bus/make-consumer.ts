import { AckPolicy, JetStreamApiError, type Consumer, type ConsumerConfig, type JetStreamManager } from '@nats-io/jetstream';
import { nanos, PermissionViolationError, RequestError } from '@nats-io/transport-node';
import { filter, type Subject } from '@cds/contracts';
import { OperatorFault } from '../operator-fault.ts';
import { callFailure } from '../resilience/is-transient.ts';
import type { Bus } from './bus.ts';
import { STREAM_UNKNOWN } from './streams.ts';

/** What a consumer is made from. */
interface Wanted {
  as: string;
  only?: object;
  ackWaitMs: number;
  /** Messages that are delivered and not acked, over all replicas. */
  unacked: number;
  /** Whether a consumer that stands keeps to its own number of them. */
  keepsUnacked?: boolean;
}

/** The server's code for a consumer that stands with another configuration. */
const CONSUMER_EXISTS = 10148;

/** A durable consumer, and how many of its messages may be unacked. */
interface Made {
  consumer: Consumer;
  unacked: number;
}

/** Makes a durable consumer, or takes the one that stands. */
export async function makeConsumer(bus: Bus, subject: Subject, wanted: Wanted): Promise<Made> {
  const { as, ackWaitMs, only, keepsUnacked = false } = wanted;
  const stream = subject.stream!;
  try {
    // A service may create its own consumer and nothing else, so nothing else is asked.
    const manager = await bus.streams.jetstreamManager(false);
    const config = {
      durable_name: as,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: wanted.unacked,
      filter_subject: filter(subject, only),
    };
    await createOrUpdate(manager, stream, config, keepsUnacked ? ['max_ack_pending'] : []);
    const consumer = await bus.streams.consumers.get(stream, as);
    return { consumer, unacked: (await consumer.info(true)).config.max_ack_pending ?? wanted.unacked };
  } catch (error) {
    throw notStarted(stream, as, error);
  }
}

/**
 * Some settings may stay as they are where it stands. While nobody makes consumers, all do: a service restarts without the one that has
 * the stream.
 */
async function createOrUpdate(
  manager: JetStreamManager,
  stream: string,
  config: Partial<ConsumerConfig>,
  kept: readonly (keyof ConsumerConfig)[],
): Promise<void> {
  const name = config.durable_name!;
  try {
    await manager.consumers.add(stream, config);
  } catch (error) {
    const differs = error instanceof JetStreamApiError && error.code === CONSUMER_EXISTS;
    if (!differs && !isUnheard(error)) throw error;
    const { config: found } = await manager.consumers.info(stream, name).catch(() => {
      throw error;
    });
    if (found.filter_subject !== config.filter_subject) {
      throw new Error(`The consumer ${name} already takes ${found.filter_subject}: give this one another name`, { cause: error });
    }
    const asItStands = Object.fromEntries(kept.map((setting) => [setting, found[setting]]));
    if (differs) await manager.consumers.update(stream, name, { ...config, ...asItStands });
  }
}

/** Nobody answers. The library has another name for it, and keeps that as the cause. */
function isUnheard(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RequestError && cause.isNoResponders()) return true;
  return false;
}

/** Nobody answers or not in time, or the stream is not made yet: whoever does it may be about to. */
export const isNotThereYet = (error: unknown): boolean =>
  isUnheard(error) || callFailure(error) === 'late' || isUnavailable(error) || (error instanceof Error && isStreamUnknown(error.cause));

/** A cluster without a leader says so, and who makes consumers for others says it of a cluster that did not answer in time. */
const isUnavailable = (error: unknown): boolean => error instanceof JetStreamApiError && error.status === 503;

const isStreamUnknown = (error: unknown): boolean => error instanceof JetStreamApiError && error.code === STREAM_UNKNOWN;

/** Says what to mend. */
function notStarted(stream: string, as: string, error: unknown): unknown {
  if (isStreamUnknown(error)) {
    return new OperatorFault(`The stream ${stream} is not there: run prepare of the app that owns it`, { cause: error });
  }
  if (isUnheard(error)) {
    const mend = 'see that its server keeps streams and, for an internal service, that the feed consumer runs';
    return new OperatorFault(`Nobody makes the consumer ${as} of the stream ${stream}: ${mend}`, { cause: error });
  }
  const isForbidden = error instanceof PermissionViolationError || (error as Error).cause instanceof PermissionViolationError;
  if (!isForbidden) return error;
  return new OperatorFault(`This bus user may not run the consumer ${as}: an operator lists it in the user's rights`, { cause: error });
}
