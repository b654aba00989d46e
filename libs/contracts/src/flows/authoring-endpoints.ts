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
  description: 'The flows of the company, published or not, in pages.',
  query: Paging.extend({ service_id: serviceId.optional().describe('Only flows of this service') }),
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
  description: 'Begins an empty flow for one service. Contract flows need the level `pro`.',
  body: z.strictObject({ service_id: serviceId, name: Line }),
  status: 201,
  result: Flow,
  refusals: [...WRITES, 'request.invalid', 'services.not_found', 'account.level_required', 'flows.too_many'],
});

export const readFlow = endpoint({
  ...ROUTE,
  name: 'read_flow',
  method: 'GET',
  path: '/api/portal/flows/{flowId}',
  summary: 'A flow with its draft',
  description: 'A flow with its draft and the `draft_token` that a change must bring back.',
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
  description:
    'Saves the draft, even with errors in it. Bring the `draft_token` you read; when somebody saved meanwhile, read again and ' +
    'merge. Descriptions of plugins are copied into the draft here.',
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
  summary: 'Delete a flow that no run needs',
  description:
    'Deletes a flow with its versions and files. A run is pinned to its version for ever, so a flow that was run cannot be deleted.',
  params: ofFlow,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'flows.not_found', 'flows.in_use'],
});

export const validateFlow = endpoint({
  ...ROUTE,
  name: 'validate_flow',
  method: 'POST',
  path: '/api/portal/flows/{flowId}/validate',
  spec: 'D2-7',
  summary: 'Everything publishing would find in the draft',
  description: 'Lists everything that publishing would find, errors and warnings, without publishing.',
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
  description:
    'Makes the draft the version that new runs are pinned to. With one error or more nothing is published, and the answer lists ' +
    'all findings with where they are. Open runs keep their version. A draft that says what the published version says makes no new one.',
  params: ofFlow,
  body: z.strictObject({ draft_token: z.string().max(128) }),
  status: 200,
  result: Publication,
  refusals: [...WRITES, 'request.invalid', 'flows.not_found', 'flows.draft_conflict', 'account.level_required', 'flows.too_many'],
});

const ofTemplate = z.object({
  flowId,
  assetKey: z.string().regex(SLUG, fails('flows.template_not_found')).describe('The key of a template, which rules name as `asset_key`'),
});

export const listTemplates = endpoint({
  ...ROUTE,
  name: 'list_templates',
  method: 'GET',
  path: '/api/portal/flows/{flowId}/templates',
  summary: 'The PDF templates and pictures of a flow, and the tags in them',
  description: 'The templates and pictures of a flow, with the tags that were found in each.',
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
  description: 'Uploads a template, or replaces it. Versions that are published keep the file they were published with.',
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
  description: 'The file of a template as it was uploaded.',
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
  description: 'Removes a template from the draft. Published versions keep it.',
  params: ofTemplate,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'flows.not_found', 'flows.template_not_found'],
});
