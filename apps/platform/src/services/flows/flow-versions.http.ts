import { Controller, Inject } from '@nestjs/common';
import { flowAuthoring as contracts, Refusal, type Caller, type FlowChange, type Input } from '@codase/contracts';
import { compareDefinitions } from '@codase/domain/flow-language';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { listFiles, type FlowFileRow } from './files.store.ts';
import { own } from './flows.http.ts';
import { findOwnFlow } from './flows.store.ts';
import { findVersion, listVersions } from './versions.store.ts';

type Author = Caller<typeof contracts.readFlowVersion>;

/** Versions that a company has published. @spec D2-9 */
@Controller()
export class FlowVersionsHttp {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  @Serves(contracts.listFlowVersions)
  async list({ params, query: { limit, cursor } }: Input<typeof contracts.listFlowVersions>, caller: Author) {
    const { flow_id } = await findOwnFlow(this.db, own(params, caller));
    const rows = await listVersions(this.db, flow_id, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ published_at, version }) => ({ at: published_at, id: String(version) }));
    return { items: items.map(({ version, published_at }) => ({ version, published_at: published_at.toISOString() })), next_cursor };
  }

  @Serves(contracts.readFlowVersion)
  async read({ params }: Input<typeof contracts.readFlowVersion>, caller: Author) {
    const { flow_id } = await findOwnFlow(this.db, own(params, caller));
    const { version, definition, published_at, files } = await this.find(flow_id, Number(params.version));
    return { version, published_at: published_at.toISOString(), definition, files };
  }

  @Serves(contracts.compareFlowVersions)
  async compare({ params, query }: Input<typeof contracts.compareFlowVersions>, caller: Author) {
    const { flow_id } = await findOwnFlow(this.db, own(params, caller));
    const after = await this.find(flow_id, Number(params.version));
    const before = await this.find(flow_id, Number(query.since ?? after.version - 1));
    const changes = [...compareDefinitions(before.definition, after.definition), ...fileChanges(before.files, after.files)];
    return { since: before.version, version: after.version, changes };
  }

  private async find(flow_id: string, number: number) {
    const version = await findVersion(this.db, flow_id, number);
    if (!version) throw new Refusal('flows.version_not_found');
    const files = await listFiles(this.db, flow_id, number);
    return { ...version, files: files.map(({ asset_key, sha256 }) => ({ asset_key, sha256 })) };
  }
}

type Files = readonly Pick<FlowFileRow, 'asset_key' | 'sha256'>[];

function fileChanges(before: Files, after: Files): FlowChange[] {
  const digests = (files: Files) => new Map(files.map(({ asset_key, sha256 }) => [asset_key, sha256]));
  const [old, fresh] = [digests(before), digests(after)];
  return [...new Set([...fresh.keys(), ...old.keys()])].flatMap((file): FlowChange[] => {
    const [was, is] = [old.get(file) ?? null, fresh.get(file) ?? null];
    if (was === is) return [];
    const change = was === null ? 'added' : is === null ? 'removed' : 'changed';
    return [{ change, where: { file }, member: change === 'changed' ? 'sha256' : null, before: was, after: is }];
  });
}
