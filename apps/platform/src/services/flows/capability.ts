import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { FlowFiles1763164800061 } from '../../migrations/region/1763164800061-flow-files.ts';
import { Flows1763164800060 } from '../../migrations/region/1763164800060-flows.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../registry/index.ts';
import { SERVICES } from '../services/index.ts';
import { FlowDrafts } from './flow-drafts.service.ts';
import { FlowFilesHttp } from './flow-files.http.ts';
import { FlowFiles } from './flow-files.service.ts';
import { FLOW_IN_USE, PLUGIN_SNAPSHOTS } from './flows.hook.ts';
import { FlowsHttp } from './flows.http.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { FlowPreviews } from './flow-previews.service.ts';
import { PublishedFlowsHttp } from './published-flows.http.ts';
import { PublishedFlows } from './published-flows.service.ts';
import { FlowPublisher } from './flow-publisher.service.ts';
import { FlowVersionsHttp } from './flow-versions.http.ts';
import { FlowEntity, FlowVersionEntity } from './flow.entity.ts';
import { FlowFileEntity, FlowAssetEntity, FlowFilePieceEntity } from './flow-file.entity.ts';

/** Contract flows as authors write and publish them. They live in the company's region and are deleted with their service. @spec D2-1 */
export const FLOWS: Capability = {
  name: 'flows',
  uses: [AUDIT, REGIONS, IDENTITY, REGISTRY, SERVICES],
  tables: {
    region: [
      { entity: FlowEntity, moves: { owner: 'company_user_id', key: 'flow_id' } },
      { entity: FlowVersionEntity, moves: { owner: 'company_user_id', key: 'flow_version_id' } },
      { entity: FlowFileEntity, moves: { owner: 'company_user_id', key: 'file_id' } },
      { entity: FlowFilePieceEntity, moves: { owner: 'company_user_id', key: 'piece_id' } },
      { entity: FlowAssetEntity, moves: { owner: 'company_user_id', key: 'asset_id' } },
    ],
  },
  afterRestore: { region: { nothing: 'changes of flows since the copy are lost, and listed by the exported audit' } },
  migrations: { region: [Flows1763164800060, FlowFiles1763164800061] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  offers: [FLOW_IN_USE],
  requires: [PLUGIN_SNAPSHOTS],
  parts: {
    region: {
      http: [FlowsHttp, FlowVersionsHttp, FlowFilesHttp, PublishedFlowsHttp],
      providers: [FlowDrafts, FlowFiles, FlowPublisher, FlowPreviews, PublishedFlows],
    },
  },
};
