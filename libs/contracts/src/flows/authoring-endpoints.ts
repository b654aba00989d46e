import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { fails } from '../core/fails.ts';
import { FileEnvelope, RawFile } from '../core/file.ts';
import { UPLOAD_BODY_BYTES } from '../core/limits.ts';
import { Nothing, page, Paging, whole } from '../core/page.ts';
import { flowId, serviceId } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { Line, SLUG } from '../core/text.ts';
import { Finding } from './finding.ts';
import { FlowDraft } from './flow-definition.ts';
import { Flow, FlowSummary, Publication, Template } from './flow-shapes.ts';

/** Flows are written in the portal and nowhere else. @spec D2-1 @gap D2-1 */
const ROUTE = { tag: 'portal', at: ['region'], spec: 'D2-1', callers: ['portal'] } as const;
const ofFlow = z.object({ flowId });

export const listFlows = endpoint({
  ...ROUTE,
  name: 'list_flows',
  method: 'GET',
  path: '/api/portal/flows',
  summary: "The company's flows",
  query: Paging.extend({ service_id: serviceId.optional() }),
  status: 200,
  result: page(FlowSummary),
  refusals: [...AUTHENTICATED, 'request.invalid', 'services.not_found'],
});

export const createFlow = endpoint({
  ...ROUTE,
  name: 'create_flow',
  method: 'POST',
  path: '/api/portal/flows',
  summary: 'Begin a flow for a service',
  body: z.strictObject({ service_id: serviceId, name: Line }),
  status: 201,
  result: Flow,
  refusals: [...WRITES, 'request.invalid', 'services.not_found', 'account.level_required'],
});

export const readFlow = endpoint({
  ...ROUTE,
  name: 'read_flow',
  method: 'GET',
  path: '/api/portal/flows/{flowId}',
  summary: 'A flow with its draft',
  params: ofFlow,
  status: 200,
  result: Flow,
  refusals: [...AUTHENTICATED, 'flows.not_found'],
});

/** Saving copies the plugins' descriptions into the draft. @spec D2-2.6 */
export const saveDraft = endpoint({
  ...ROUTE,
  name: 'save_draft',
  method: 'PUT',
  path: '/api/portal/flows/{flowId}',
  summary: 'Save the draft of a flow, right or wrong',
  params: ofFlow,
  body: z.strictObject({ draft_token: z.string().max(128), name: Line.optional(), draft: FlowDraft }),
  status: 200,
  result: Flow,
  refusals: [...WRITES, 'request.invalid', 'flows.not_found', 'flows.draft_conflict'],
});

export const deleteFlow = endpoint({
  ...ROUTE,
  name: 'delete_flow',
  method: 'DELETE',
  path: '/api/portal/flows/{flowId}',
  summary: 'Delete a flow; its runs go on with the version they are pinned to',
  params: ofFlow,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'flows.not_found'],
});

export const validateFlow = endpoint({
  ...ROUTE,
  name: 'validate_flow',
  method: 'POST',
  path: '/api/portal/flows/{flowId}/validate',
  spec: 'D2-7',
  summary: 'Everything publishing would find in the draft',
  params: ofFlow,
  status: 200,
  result: z.object({ findings: z.array(Finding) }),
  refusals: [...WRITES, 'flows.not_found'],
});

export const publishFlow = endpoint({
  ...ROUTE,
  name: 'publish_flow',
  method: 'POST',
  path: '/api/portal/flows/{flowId}/publish',
  spec: 'D2-7',
  summary: 'Publish the draft, unless it has errors; all findings are listed at once',
  params: ofFlow,
  body: z.strictObject({ draft_token: z.string().max(128) }),
  status: 200,
  result: Publication,
  refusals: [...WRITES, 'request.invalid', 'flows.not_found', 'flows.draft_conflict', 'account.level_required'],
});

const ofTemplate = z.object({ flowId, assetKey: z.string().regex(SLUG, fails('flows.template_not_found')) });

export const listTemplates = endpoint({
  ...ROUTE,
  name: 'list_templates',
  method: 'GET',
  path: '/api/portal/flows/{flowId}/templates',
  summary: 'The PDF templates and pictures of a flow, and the tags in them',
  params: ofFlow,
  status: 200,
  result: whole(Template),
  refusals: [...AUTHENTICATED, 'flows.not_found'],
});

export const putTemplate = endpoint({
  ...ROUTE,
  name: 'put_template',
  method: 'PUT',
  path: '/api/portal/flows/{flowId}/templates/{assetKey}',
  summary: 'Add or replace a template; published versions keep the old one',
  params: ofTemplate,
  body: FileEnvelope,
  largest: UPLOAD_BODY_BYTES,
  status: 200,
  result: Template,
  refusals: [...WRITES, 'request.invalid', 'flows.not_found', 'flows.template_not_found', 'flows.template_invalid', 'documents.too_large'],
});

export const readTemplate = endpoint({
  ...ROUTE,
  name: 'read_template',
  method: 'GET',
  path: '/api/portal/flows/{flowId}/templates/{assetKey}',
  summary: 'The file of a template',
  params: ofTemplate,
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [...AUTHENTICATED, 'flows.not_found', 'flows.template_not_found'],
});

export const deleteTemplate = endpoint({
  ...ROUTE,
  name: 'delete_template',
  method: 'DELETE',
  path: '/api/portal/flows/{flowId}/templates/{assetKey}',
  summary: 'Delete a template; published versions keep it',
  params: ofTemplate,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'flows.not_found', 'flows.template_not_found'],
});
