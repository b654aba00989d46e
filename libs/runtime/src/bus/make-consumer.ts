import { AckPolicy, JetStreamApiError, type Consumer, type ConsumerConfig, type JetStreamManager } from '@nats-io/jetstream';
import { nanos, PermissionViolationError } from '@nats-io/transport-node';
import { filter, type Subject } from '@codase/contracts';
import { OperatorFault } from '../operator-fault.ts';
import { callFailure } from '../resilience/is-transient.ts';
import type { Bus } from './bus.ts';
import { isUnheard } from './bus-failures.ts';
import { STREAM_UNKNOWN } from './streams.ts';

/** The settings that a consumer is created with. */
interface Wanted {
  as: string;
  only?: object;
  ackWaitMs: number;
  /** The most messages that may be delivered and not acked at once, over all replicas. */
  unacked: number;
  /** Whether a consumer that already exists keeps its own limit of unacked messages. */
  keepsUnacked?: boolean;
}

/** The server's code for a consumer that already exists with another configuration. */
const CONSUMER_EXISTS = 10148;

/** A durable consumer, and how many of its messages may be unacked. */
interface Made {
  consumer: Consumer;
  unacked: number;
}

/** Creates a durable consumer, or takes the existing one of that name. */
export async function makeConsumer(bus: Bus, subject: Subject, wanted: Wanted): Promise<Made> {
  const { as, ackWaitMs, only, keepsUnacked = false } = wanted;
  const stream = subject.stream!;
  try {
    // `false` leaves out the check of the JetStream API: a service has the right to create its own consumer, and nothing else.
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
 * Creates the consumer, or updates an existing one except for the settings in `kept`. When nobody answers the request to create it, an
 * existing consumer is used as it is: a service can then restart while the app that has the stream is down.
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

/** Whether waiting may help: nobody answers in time, or the stream does not exist yet, and its app may be about to make it. */
export const isNotThereYet = (error: unknown): boolean =>
  isUnheard(error) || callFailure(error) === 'late' || isUnavailable(error) || (error instanceof Error && isStreamUnknown(error.cause));

/** A cluster without a leader answers 503. So does the app that makes consumers for others, when the cluster did not answer it in time. */
const isUnavailable = (error: unknown): boolean => error instanceof JetStreamApiError && error.status === 503;

const isStreamUnknown = (error: unknown): boolean => error instanceof JetStreamApiError && error.code === STREAM_UNKNOWN;

/** Returns an error that says what to mend. */
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
