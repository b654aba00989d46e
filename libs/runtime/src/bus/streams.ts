import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { filter, PARKED, type Subject } from '@cds/contracts';
import type { Bus } from './bus.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface StreamOptions {
  maxAgeMs?: number;
  maxBytes?: number;
  replicas?: number;
  /** Takes atomic batches, where the server has them; an older one knows nothing of it and takes messages one by one. */
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
  const manager = await bus.manager();
  const exists = await manager.streams.info(name).then(
    () => true,
    () => false,
  );
  if (exists) await manager.streams.update(name, limits);
  else
    await manager.streams.add({
      name,
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      deny_delete: true,
      deny_purge: true,
      ...limits,
    });
}

/** Where consumers of either plane park what they give up on. */
export const ensureParkedStream = (bus: Bus, options: StreamOptions = {}): Promise<void> =>
  ensureStream(bus, PARKED.stream!, [PARKED], { maxAgeMs: 90 * DAY_MS, maxBytes: 256 * 1024 ** 2, ...options });
