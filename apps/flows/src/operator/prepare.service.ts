import { TURN_EVENT, TURNS_STREAM_DAYS } from '@codase/contracts';
import { ensureStream, type Bus } from '@codase/runtime/bus';
import { migrate, type DatabaseAddress } from '@codase/runtime/db';
import { FLOWS_MIGRATIONS } from '../migrations/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Brings the database to the newest shape. Returns the names of the migrations it ran. */
export const migrateFlows = (owner: DatabaseAddress & { connectSeconds?: number }): Promise<string[]> =>
  migrate({ ...owner, name: 'flows-migrations', migrations: FLOWS_MIGRATIONS });

/** Creates the stream of turn events. When it is full, it refuses new events, and the table keeps them until it has space again. */
export const prepareTurns = (bus: Bus, { replicas = 1, maxBytes = 256 * 1024 ** 2 } = {}): Promise<void> =>
  ensureStream(bus, TURN_EVENT.stream!, [TURN_EVENT], { maxAgeMs: TURNS_STREAM_DAYS * DAY_MS, maxBytes, replicas });
