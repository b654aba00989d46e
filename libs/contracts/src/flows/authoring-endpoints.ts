import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { expects, fails } from '../core/fails.ts';
import { RawFile } from '../core/file.ts';
import { page, Paging, whole } from '../core/page.ts';
import { flowId, serviceId } from '../core/params.ts';
import { Day, Id, Line, SLUG } from '../core/text.ts';
import { Finding } from './finding.ts';
import { FlowDraft } from './flow-definition.ts';
import {
  Flow,
  FlowChange,
  FlowPreview,
  FlowSummary,
  FlowVersion,
  FlowVersionSummary,
  Publication,
  Template,
  TemplateEnvelope,
} from './flow-shapes.ts';
import { TEMPLATE_BODY_BYTES } from './limits.ts';

/** Flows are written in the portal and nowhere else. @spec D2-1 @gap D2-1 */
const ROUTE = { tag: 'portal', at: ['region'], spec: 'D2-1', callers: ['portal'] } as const;
const ofFlow = z.object({ flowId });
const OF_FLOW = { ...ROUTE, params: ofFlow } as const;
/** Made-up answers and values, which are no person's data. */
const MadeUp = z
  .record(z.string().max(200), z.string().max(100_000))
  .refine((values) => Object.keys(values).length <= 5000, expects('must hold at most 5000 values'));

export const listFlows = endpoint('list_flows', 'GET /api/portal/flows', {
  ...ROUTE,
  summary: "The company's flows",
  description: 'The flows of the company, published or not, in pages.',
  query: Paging.extend({ service_id: serviceId.optional().describe('Only flows of this service') }),
  result: page(FlowSummary),
  refusals: ['request.invalid', 'services.not_found'],
});

export const createFlow = endpoint('create_flow', 'POST /api/portal/flows', {
  ...ROUTE,
  summary: 'Begin a flow for a service',
  description: 'Begins an empty flow for one service. Contract flows need the level `pro`.',
  body: z.strictObject({ service_id: Id.describe('The service that it belongs to'), name: Line }),
  status: 201,
  result: Flow,
  refusals: ['request.invalid', 'services.not_found', 'account.level_required', 'flows.too_many'],
});

export const readFlow = endpoint('read_flow', 'GET /api/portal/flows/{flowId}', {
  ...OF_FLOW,
  summary: 'A flow with its draft',
  description: 'A flow with its draft and the `draft_token` that a change must bring back.',
  result: Flow,
  refusals: ['flows.not_found'],
});

/** Saving copies the plugins' descriptions into the draft. @spec D2-2.6 */
export const saveDraft = endpoint('save_draft', 'PUT /api/portal/flows/{flowId}', {
  ...OF_FLOW,
  summary: 'Save the draft of a flow, right or wrong',
  description:
    'Saves the draft, even with errors in it. Bring the `draft_token` you read; when somebody saved meanwhile, read again and ' +
    'merge. Descriptions of plugins are copied into the draft here.',
  body: z.strictObject({ draft_token: z.string().max(128), name: Line.optional(), draft: FlowDraft }),
  result: Flow,
  refusals: ['request.invalid', 'flows.not_found', 'flows.draft_conflict'],
});

export const deleteFlow = endpoint('delete_flow', 'DELETE /api/portal/flows/{flowId}', {
  ...OF_FLOW,
  summary: 'Delete a flow that no open run needs',
  description:
    'Deletes a flow with its versions and files, unless a run of it is open. A run that is over stays readable: it keeps the definition ' +
    'that it was pinned to, and its own files. The images of its steps are files of the flow, and go with it.',
  refusals: ['flows.not_found', 'flows.in_use'],
});

export const validateFlow = endpoint('validate_flow', 'POST /api/portal/flows/{flowId}/validate', {
  ...OF_FLOW,
  spec: 'D2-7',
  summary: 'Everything publishing would find in the draft',
  description: 'Lists everything that publishing would find, errors and warnings, without publishing.',
  result: z.object({ findings: z.array(Finding) }),
  refusals: ['flows.not_found'],
});

export const publishFlow = endpoint('publish_flow', 'POST /api/portal/flows/{flowId}/publish', {
  ...OF_FLOW,
  spec: 'D2-7',
  summary: 'Publish the draft, unless it has errors; all findings are listed at once',
  description:
    'Makes the draft the version that new runs are pinned to. With one error or more nothing is published, and the answer lists ' +
    'all findings with where they are. Open runs keep their version. A draft that says what the published version says makes no new one.',
  body: z.strictObject({ draft_token: z.string().max(128) }),
  result: Publication,
  refusals: ['request.invalid', 'flows.not_found', 'flows.draft_conflict', 'account.level_required', 'flows.too_many'],
});

export const copyFlow = endpoint('copy_flow', 'POST /api/portal/flows/{flowId}/copy', {
  ...OF_FLOW,
  summary: 'Begin another flow with the draft and the files of this one',
  description: 'Begins a flow with the same draft and the same files, for the same service or another one. Versions and runs stay here.',
  body: z.strictObject({ name: Line.optional(), service_id: Id.optional() }),
  status: 201,
  result: Flow,
  refusals: ['request.invalid', 'flows.not_found', 'services.not_found', 'account.level_required', 'flows.too_many'],
});

/** Plays a step without a run: nothing is stored, and no party is real. */
export const previewFlow = endpoint('preview_flow', 'POST /api/portal/flows/{flowId}/preview', {
  ...OF_FLOW,
  summary: 'Play one step of the draft with made-up answers',
  description:
    'Shows a step of the draft as its party would see it, and where it would lead. Begin without `node`; then bring the `node` and the ' +
    '`answers` that `next` gave, and in `step` what the party fills in now. Nothing is stored. A draft with errors cannot be played.',
  body: z.strictObject({
    node: z.string().max(64).optional().describe('The step to show; the entry where it is left out'),
    answers: MadeUp.optional().describe('What was answered before, by slug'),
    step: MadeUp.optional().describe('What is filled in on this step'),
    tag_values: MadeUp.optional().describe('What `{{party.field}}` shows'),
    reference_date: Day.optional().describe('The value of today; the day of the call where it is left out'),
    language: z.string().max(20).optional().describe('The language of the language party'),
  }),
  result: FlowPreview,
  refusals: ['request.invalid', 'flows.not_found', 'flows.definition_invalid'],
});

export const listFlowVersions = endpoint('list_flow_versions', 'GET /api/portal/flows/{flowId}/versions', {
  ...OF_FLOW,
  spec: 'D2-9',
  summary: 'The published versions of a flow, newest first',
  description: 'The versions of a flow that were published, newest first, in pages.',
  query: Paging,
  result: page(FlowVersionSummary),
  refusals: ['request.invalid', 'flows.not_found'],
});

const version = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, fails('flows.version_not_found'))
  .describe('The number of a version');
const ofVersion = z.object({ flowId, version });

export const readFlowVersion = endpoint('read_flow_version', 'GET /api/portal/flows/{flowId}/versions/{version}', {
  ...ROUTE,
  spec: 'D2-9',
  summary: 'A published version with its definition',
  description: 'A version as it was published, with the descriptions of its plugins and the digests of its files. It never changes.',
  params: ofVersion,
  result: FlowVersion,
  refusals: ['flows.not_found', 'flows.version_not_found'],
});

export const compareFlowVersions = endpoint('compare_flow_versions', 'GET /api/portal/flows/{flowId}/versions/{version}/changes', {
  ...ROUTE,
  spec: 'D2-9',
  summary: 'In what a version differs from another',
  description: 'Everything in which a version differs from another one, which is the version before it unless `since` names one.',
  params: ofVersion,
  query: z.strictObject({ since: version.optional().describe('The version to compare with') }),
  result: z.object({ since: z.int(), version: z.int(), changes: z.array(FlowChange) }),
  refusals: ['request.invalid', 'flows.not_found', 'flows.version_not_found'],
});

const ofTemplate = z.object({
  flowId,
  assetKey: z.string().regex(SLUG, fails('flows.template_not_found')).describe('The key of a template, which rules name as `asset_key`'),
});

export const listTemplates = endpoint('list_templates', 'GET /api/portal/flows/{flowId}/templates', {
  ...OF_FLOW,
  summary: 'The PDF templates and pictures of a flow, and the tags in them',
  description: 'The templates and pictures of a flow, with the tags that were found in each.',
  result: whole(Template),
  refusals: ['flows.not_found'],
});

export const putTemplate = endpoint('put_template', 'PUT /api/portal/flows/{flowId}/templates/{assetKey}', {
  ...ROUTE,
  summary: 'Add or replace a PDF template or an image; published versions keep the old one',
  description:
    'Uploads a PDF template or an image, or replaces it. A PDF is searched for value tags: each must stand whole in one string of the ' +
    'PDF. Versions that are published keep the file they were published with.',
  params: ofTemplate,
  body: TemplateEnvelope,
  largest: TEMPLATE_BODY_BYTES,
  result: Template,
  refusals: [
    'request.invalid',
    'flows.not_found',
    'flows.template_not_found',
    'flows.template_invalid',
    'documents.too_large',
    'flows.too_many',
  ],
});

export const readTemplate = endpoint('read_template', 'GET /api/portal/flows/{flowId}/templates/{assetKey}', {
  ...ROUTE,
  summary: 'The file of a template',
  description: 'The file of a template as it was uploaded.',
  params: ofTemplate,
  result: RawFile,
  produces: 'bytes',
  refusals: ['flows.not_found', 'flows.template_not_found'],
});

export const deleteTemplate = endpoint('delete_template', 'DELETE /api/portal/flows/{flowId}/templates/{assetKey}', {
  ...ROUTE,
  summary: 'Delete a template; published versions keep it',
  description: 'Removes a template from the draft. Published versions keep it.',
  params: ofTemplate,
  refusals: ['flows.not_found', 'flows.template_not_found'],
});
