import { Controller, Inject } from '@nestjs/common';
import { connections as contracts, Refusal, type Caller, type Input } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { Serves } from '@cds/runtime/http';
import type { DataSource } from 'typeorm';
import { Home } from '../regions/index.ts';
import { REGION_DB } from '../databases.ts';
import { pageOf, readCursor } from '../paging.ts';
import { FieldTypesView } from '../registry/index.ts';
import type { ConnectionRow } from './connection-row.ts';
import { findConnection, listConnections, lockConnection, type WeighedConnection } from './connections.store.ts';
import { servedFile } from './shared-file.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { presentConnection, presentDetail } from './present.ts';
import { findFile, listValues } from './values.store.ts';

type Service = Caller<typeof contracts.listConnections>;

/** What the values of one page may weigh, unless one connection alone weighs more. @gap D1-4.2 */
const PAGE_CHARS = 8 * 1024 * 1024;

/** A service and those who are connected to it; of no other service it learns anything. @spec D1-1 @spec D1-4.2 */
@Controller()
export class ConnectionsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly operations: ConnectionOperations,
    private readonly view: FieldTypesView,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Serves(contracts.listConnections)
  async list({ query: { limit, cursor } }: Input<typeof contracts.listConnections>, caller: Service) {
    const rows = await listConnections(this.db, caller, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, Math.min(limit, fitting(rows)), positionOf);
    const values = await listValues(
      this.db,
      items.map(({ connection_id }) => connection_id),
    );
    const valuesOf = (row: ConnectionRow) => values.filter(({ connection_id }) => connection_id === row.connection_id);
    return { items: items.map((row) => presentConnection(row, valuesOf(row))), next_cursor };
  }

  @Serves(contracts.readConnection)
  async read({ params: { connectionId } }: Input<typeof contracts.readConnection>, caller: Service) {
    const row = await findConnection(this.db, caller, connectionId);
    return presentDetail(row, await listValues(this.db, [connectionId]));
  }

  @Serves(contracts.endConnection)
  end({ params: { connectionId } }: Input<typeof contracts.endConnection>, caller: Service) {
    return this.home.write(caller.company_user_id, async (tx) => {
      const connection = await findConnection(tx, caller, connectionId);
      await this.operations.end(tx, await lockConnection(tx, connection));
    });
  }

  /** @spec D1-2.8 */
  @Serves(contracts.readSlotFile)
  async readFile({ params: { connectionId, serviceFieldId } }: Input<typeof contracts.readSlotFile>, caller: Service) {
    await findConnection(this.db, caller, connectionId);
    const now = this.clock.now();
    const file = await findFile(this.db, connectionId, serviceFieldId, now);
    if (!file) throw new Refusal('company_data.file_not_found');
    const { file_sha256: digest, expires_at, type, source_private, content } = file;
    if (expires_at && expires_at <= now) throw new Refusal('company_data.file_expired', { digest, expired_at: expires_at.toISOString() });
    if (content === null) throw new Refusal('company_data.file_not_found');
    return servedFile(this.view.types.resolve(type), source_private, content);
  }
}

const positionOf = ({ connected_at, connection_id }: ConnectionRow) => ({ at: connected_at, id: connection_id });

/** How many connections of a list fit on a page, at least one. */
function fitting(rows: readonly WeighedConnection[]): number {
  let chars = 0;
  const over = rows.findIndex(({ weight }) => (chars += weight) > PAGE_CHARS);
  return over < 0 ? rows.length : Math.max(over, 1);
}
