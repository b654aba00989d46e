import { Controller, Inject } from '@nestjs/common';
import { flowAuthoring as contracts, Refusal, type Caller, type Input } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { readInMemory } from '../../kit/answer-memory.service.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { findFile, listFiles, readFile, type FlowFileRow } from './files.store.ts';
import { FlowFiles } from './flow-files.service.ts';
import { own } from './flows.http.ts';
import { findOwnFlow } from './flows.store.ts';

type Author = Caller<typeof contracts.listTemplates>;

/** PDF templates and images of a flow. @spec D2-2.4 */
@Controller()
export class FlowFilesHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly files: FlowFiles,
  ) {}

  @Serves(contracts.listTemplates)
  async list({ params }: Input<typeof contracts.listTemplates>, caller: Author) {
    const { flow_id } = await findOwnFlow(this.db, own(params, caller));
    return { items: (await listFiles(this.db, flow_id, null)).map(present), next_cursor: null };
  }

  @Serves(contracts.putTemplate)
  async put({ params, body }: Input<typeof contracts.putTemplate>, caller: Author) {
    await findOwnFlow(this.db, own(params, caller));
    return present(await this.files.put(own(params, caller), params.assetKey, body));
  }

  @Serves(contracts.readTemplate)
  async read({ params }: Input<typeof contracts.readTemplate>, caller: Author) {
    const { flow_id } = await findOwnFlow(this.db, own(params, caller));
    const file = await findFile(this.db, { flow_id, version: null, asset_key: params.assetKey });
    if (!file) throw new Refusal('flows.template_not_found');
    const bytes = await readInMemory(caller.company_user_id, file.size, () => readFile(this.db, file));
    return { content_type: file.mime_type, bytes };
  }

  @Serves(contracts.deleteTemplate)
  remove({ params }: Input<typeof contracts.deleteTemplate>, caller: Author) {
    return this.files.remove(own(params, caller), params.assetKey);
  }
}

const present = ({ asset_key, kind, original_name, mime_type, size, sha256, tags, created_at }: Omit<FlowFileRow, 'file_id'>) => ({
  asset_key,
  kind,
  original_name,
  mime_type,
  size,
  sha256,
  tags,
  updated_at: created_at.toISOString(),
});
