import { CHALLENGE_COMPLETED, CHALLENGES_STREAM_DAYS } from '@codase/contracts';
import { ensureStream, type Bus } from '@codase/runtime/bus';
import { migrate, type DatabaseAddress } from '@codase/runtime/db';
import { TWOFA_MIGRATIONS } from '../migrations/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Brings the database to the newest schema. Returns the names of the migrations that it ran. */
export const migrateTwofa = (owner: DatabaseAddress & { connectSeconds?: number }): Promise<string[]> =>
  migrate({ ...owner, name: 'twofa-migrations', migrations: TWOFA_MIGRATIONS });

/** Creates the stream of outcomes. A full stream refuses new outcomes, and the table holds them until there is space. */
export const prepareChallenges = (bus: Bus, { replicas = 1, maxBytes = 256 * 1024 ** 2 } = {}): Promise<void> =>
  ensureStream(bus, CHALLENGE_COMPLETED.stream!, [CHALLENGE_COMPLETED], { maxAgeMs: CHALLENGES_STREAM_DAYS * DAY_MS, maxBytes, replicas });
