import { AUDIT } from '../audit/index.ts';
import type { Capability } from '../capability.ts';
import { IDENTITY } from '../identity/index.ts';
import { Flows1763164800060 } from '../migrations/region/1763164800060-flows.ts';
import { REGIONS } from '../regions/index.ts';
import { REGISTRY } from '../registry/index.ts';
import { SERVICES } from '../services/index.ts';
import { FlowDrafts } from './drafts.service.ts';
import { FLOW_IN_USE } from './flow-in-use.hook.ts';
import { FlowsHttp } from './flows.http.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { PLUGIN_SNAPSHOTS } from './plugin-snapshots.hook.ts';
import { PublishedFlowsHttp } from './published-flows.http.ts';
import { PublishedFlows } from './published-flows.service.ts';
import { FlowPublishing } from './publishing.service.ts';

/** Contract flows as their authors write and publish them. They live with the company and go with their service. @spec D2-1 */
export const FLOWS: Capability = {
  name: 'flows',
  uses: [AUDIT, REGIONS, IDENTITY, REGISTRY, SERVICES],
  tables: {
    region: {
      flow: { moves: { owner: 'company_user_id', key: 'flow_id' } },
      flow_version: { moves: { owner: 'company_user_id', key: 'flow_version_id' } },
    },
  },
  migrations: { region: [Flows1763164800060] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  offers: [FLOW_IN_USE, PLUGIN_SNAPSHOTS],
  parts: {
    region: {
      http: [FlowsHttp, PublishedFlowsHttp],
      providers: [FlowDrafts, FlowPublishing, PublishedFlows],
    },
  },
};
