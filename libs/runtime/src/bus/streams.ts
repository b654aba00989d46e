import { DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { filter, PARKED, type Subject } from '@codase/contracts';
import { OperatorFault } from '../operator-fault.ts';
import { callFailure } from '../resilience/is-transient.ts';
import { retryConnect } from '../resilience/retry-connect.ts';
import type { Bus } from './bus.ts';
import { isUnheard } from './bus-failures.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface StreamOptions {
  maxAgeMs?: number;
  maxBytes?: number;
  replicas?: number;
  /** Whether the stream takes atomic batches. An older server does not know this setting, and takes messages one by one. */
  batches?: boolean;
}

/**
 * Creates a stream, or brings its limits up to date. A full stream refuses new messages rather than dropping old ones:
 * the publisher still holds what it could not publish, and an operator sees the refusal.
 */
export async function ensureStream(
  bus: Bus,
  name: string,
  subjects: readonly Subject[],
  { maxAgeMs = 14 * DAY_MS, maxBytes = 1024 ** 3, replicas = 1, batches = false }: StreamOptions = {},
): Promise<void> {
  const limits: Partial<StreamConfig> = {
    subjects: subjects.map((subject) => filter(subject)),
    max_age: nanos(maxAgeMs),
    max_bytes: maxBytes,
    duplicate_window: nanos(5 * 60 * 1000),
    discard: DiscardPolicy.New,
    num_replicas: replicas,
    ...(batches && { allow_atomic: true }),
  };
  await prepared(bus, `the stream ${name}`, replicas, async () => {
    const manager = await bus.manager();
    if (await isThere(bus, name)) await manager.streams.update(name, limits);
    else
      await manager.streams.add({
        name,
        storage: StorageType.File,
        retention: RetentionPolicy.Limits,
        deny_delete: true,
        deny_purge: true,
        ...limits,
      });
  });
}

/** Creates the stream on which consumers of either plane park the messages that they give up on. */
export const ensureParkedStream = (bus: Bus, options: StreamOptions = {}): Promise<void> =>
  ensureStream(bus, PARKED.stream!, [PARKED], { maxAgeMs: 90 * DAY_MS, maxBytes: 256 * 1024 ** 2, ...options });

/** The server's code for a stream that is not there. */
export const STREAM_UNKNOWN = 10059;

export async function isThere(bus: Bus, stream: string): Promise<boolean> {
  try {
    await (await bus.manager()).streams.info(stream);
    return true;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_UNKNOWN) return false;
    throw error;
  }
}

/** Does repeatable work, again while the cluster has no leader yet. Throws an error that says what to mend. */
export async function prepared(bus: Bus, what: string, replicas: number, work: () => Promise<void>): Promise<void> {
  try {
    await retryConnect('nats', work, { seconds: bus.connectSeconds, isWorth: isNotYet });
  } catch (error) {
    throw notPrepared(what, replicas, error);
  }
}

/** The server's codes for a cluster without a leader, and for one where fewer servers have met than there are replicas. */
const NO_LEADER = [10008, 10009, 10076];
const NO_PEERS = 10005;

const isNotYet = (error: unknown): boolean =>
  error instanceof JetStreamApiError ? [...NO_LEADER, NO_PEERS].includes(error.code) : isUnanswered(error);

const isUnanswered = (error: unknown): boolean => isUnheard(error) || callFailure(error) === 'late';

const SEE = 'see that JetStream is on, that most servers of the cluster run, and that the user is an operator';

function notPrepared(what: string, replicas: number, cause: unknown): unknown {
  if (cause instanceof JetStreamApiError) {
    const mend = mendOf(cause, replicas);
    return new OperatorFault(`${what} could not be prepared: the server says "${cause.message}"${mend && `: ${mend}`}`, { cause });
  }
  if (isUnanswered(cause)) return new OperatorFault(`${what} could not be prepared, nobody answers for it: ${SEE}`, { cause });
  return cause;
}

function mendOf({ message, code }: JetStreamApiError, replicas: number): string {
  if (code === NO_PEERS || /replicas/.test(message)) return `run ${replicas} servers with JetStream in one cluster, or set REPLICAS to 1`;
  if (/resources|storage|limit/i.test(message)) return 'give the servers more disk, or raise max_file_store';
  return NO_LEADER.includes(code) ? 'see that most servers of the cluster run' : '';
}
