import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { FlowFiles1763164800061 } from '../../migrations/region/1763164800061-flow-files.ts';
import { Flows1763164800060 } from '../../migrations/region/1763164800060-flows.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { REGISTRY } from '../registry/index.ts';
import { SERVICES } from '../services/index.ts';
import { FlowDrafts } from './drafts.service.ts';
import { FlowFilesHttp } from './files.http.ts';
import { FlowFiles } from './files.service.ts';
import { FLOW_IN_USE } from './flow-in-use.hook.ts';
import { FlowsHttp } from './flows.http.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { PLUGIN_SNAPSHOTS } from './plugin-snapshots.hook.ts';
import { FlowPreviews } from './previews.service.ts';
import { PublishedFlowsHttp } from './published-flows.http.ts';
import { PublishedFlows } from './published-flows.service.ts';
import { FlowPublishing } from './publishing.service.ts';
import { FlowVersionsHttp } from './versions.http.ts';

/**
 * Contract flows as their authors write and publish them. They live in the company's region and are deleted with their service. @spec D2-1
 */
export const FLOWS: Capability = {
  name: 'flows',
  uses: [AUDIT, REGIONS, IDENTITY, REGISTRY, SERVICES],
  tables: {
    region: {
      flow: { moves: { owner: 'company_user_id', key: 'flow_id' } },
      flow_version: { moves: { owner: 'company_user_id', key: 'flow_version_id' } },
      flow_file: { moves: { owner: 'company_user_id', key: 'file_id' } },
      flow_file_piece: { moves: { owner: 'company_user_id', key: 'piece_id' } },
      flow_asset: { moves: { owner: 'company_user_id', key: 'asset_id' } },
    },
  },
  migrations: { region: [Flows1763164800060, FlowFiles1763164800061] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  offers: [FLOW_IN_USE, PLUGIN_SNAPSHOTS],
  parts: {
    region: {
      http: [FlowsHttp, FlowVersionsHttp, FlowFilesHttp, PublishedFlowsHttp],
      providers: [FlowDrafts, FlowFiles, FlowPublishing, FlowPreviews, PublishedFlows],
    },
  },
};
