import { Controller, Inject } from '@nestjs/common';
import { connections as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import type { DataSource } from 'typeorm';
import { Home } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { FieldTypesView } from '../../services/registry/index.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import type { ConnectionRow, SharedValueRow } from './connection-row.ts';
import { findConnection, listConnections, lockConnection, type WeighedConnection } from './connections.store.ts';
import { FileContents } from './file-contents.service.ts';
import { servedFile } from './shared-file.ts';
import { ConnectionOperations } from './connection-operations.service.ts';
import { presentConnection, presentDetail } from './present.ts';
import { listValues } from './values.store.ts';

type Service = Caller<typeof contracts.listConnections>;

/** The most characters that the values of one page may have together, unless a single connection has more. @gap D1-4.2 */
const PAGE_CHARS = 8 * 1024 * 1024;

/** The connections of the calling service. It learns nothing about those of other services. @spec D1-1 @spec D1-4.2 */
@Controller()
export class ConnectionsHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly operations: ConnectionOperations,
    private readonly view: FieldTypesView,
    private readonly contents: FileContents,
    private readonly attestations: Attestations,
  ) {}

  @Serves(contracts.listConnections)
  async list({ query: { limit, cursor } }: Input<typeof contracts.listConnections>, caller: Service) {
    const rows = await listConnections(this.db, caller, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, Math.min(limit, fitting(rows)), positionOf);
    const ids = items.map(({ connection_id }) => connection_id);
    const values = await this.shownValues(ids);
    const valuesOf = (row: ConnectionRow) => values.filter(({ connection_id }) => connection_id === row.connection_id);
    return { items: items.map((row) => presentConnection(row, valuesOf(row))), next_cursor };
  }

  @Serves(contracts.readConnection)
  async read({ params: { connectionId } }: Input<typeof contracts.readConnection>, caller: Service) {
    const row = await findConnection(this.db, caller, connectionId);
    return presentDetail(row, await this.shownValues([connectionId]));
  }

  @Serves(contracts.endConnection)
  end({ params: { connectionId } }: Input<typeof contracts.endConnection>, caller: Service) {
    return this.home.write(caller.company_user_id, async (tx) => {
      const connection = await findConnection(tx, caller, connectionId);
      await this.operations.endByChoice(tx, await lockConnection(tx, connection));
    });
  }

  /** Reads values with the verifications that hold now. @spec D1-2.7 */
  private async shownValues(connection_ids: readonly string[]): Promise<SharedValueRow[]> {
    const values = await listValues(this.db, connection_ids);
    return values.map((value) => ({ ...value, verification: this.attestations.shown(value.verification) }));
  }

  /** @spec D1-2.8 */
  @Serves(contracts.readSlotFile)
  async readFile({ params: { connectionId, serviceFieldId } }: Input<typeof contracts.readSlotFile>, caller: Service) {
    await findConnection(this.db, caller, connectionId);
    const { type, source_private, content } = await this.contents.read(caller.company_user_id, connectionId, serviceFieldId);
    return servedFile(this.view.types.resolve(type), source_private, content);
  }
}

const positionOf = ({ connected_at, connection_id }: ConnectionRow) => ({ at: connected_at, id: connection_id });

/** Returns how many connections of a list fit on a page, at least one. */
function fitting(rows: readonly WeighedConnection[]): number {
  let chars = 0;
  const over = rows.findIndex(({ weight }) => (chars += weight) > PAGE_CHARS);
  return over < 0 ? rows.length : Math.max(over, 1);
}
