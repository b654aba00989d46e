import type { RestoredRegion } from '../../kit/after-restore.service.ts';
import { endConnection } from './connection-operations.service.ts';
import { lockById } from './connections.store.ts';

/** Ends connections again that ended after the copy was made, once what belongs to them was reported: it is deleted with them. */
export async function endConnectionsAgain({ tx, now, acts, report, record }: RestoredRegion): Promise<void> {
  report.connections_ended = await acts.each('connection.ended', async (connection_id) => {
    const connection = await lockById(tx, connection_id);
    if (!connection) return false;
    await endConnection(tx, connection, now);
    await record({ act: 'connection.ended', account_id: connection.company_user_id, object: connection_id });
    return true;
  });
}
