import { ProjectionWriter } from '@codase/runtime/bus';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';
import { ALL_SESSIONS, REVOCATIONS } from './revocations.ts';
import { SessionsStore } from './sessions.store.ts';

/** Ends all sessions and refuses all their tokens, since nobody knows which sessions were ended after the copy was made. */
export async function endAllSessions({ tx, bus, now, report, afterCommit }: RestoredFrontDoor): Promise<void> {
  report.sessions_ended = await new SessionsStore(tx).endAll(now, tx);
  afterCommit(async () => (await ProjectionWriter.open(bus, REVOCATIONS)).put(ALL_SESSIONS, { before: now.toISOString() }));
}
