import { z } from 'zod';
import { named } from '../core/named.ts';
import { Id, Timestamp } from '../core/text.ts';
import { Finding } from './finding.ts';
import { FlowDefinition, FlowDraft } from './flow-definition.ts';

/** The latest published version, and the types of what the service asks for. @spec D2-4.1 */
export const PublishedFlow = named(
  'PublishedFlow',
  z.object({
    version: z.int(),
    definition: FlowDefinition,
    request_field_types: z.record(z.string(), z.string()),
  }),
);

/** A flow in the portal's list. @gap D2-1 */
export const FlowSummary = named(
  'FlowSummary',
  z.object({
    id: Id,
    service_id: Id,
    name: z.string(),
    published_version: z.int().nullable(),
    updated_at: Timestamp,
  }),
);

/** A flow as its author edits it. @gap D2-1 */
export const Flow = named('Flow', FlowSummary.extend({ draft_token: z.string(), draft: FlowDraft }));

/** What publishing did: any error blocks it, and all findings are listed at once. @spec D2-7 @gap D2-1 */
export const Publication = named(
  'Publication',
  z.object({
    published: z.boolean(),
    version: z.int().nullable(),
    findings: z.array(Finding),
  }),
);

/** A PDF with value tags, as it is listed. @gap D2-1 */
export const Template = named(
  'Template',
  z.object({
    asset_key: z.string(),
    original_name: z.string(),
    size: z.int(),
    tags: z.array(z.string()),
    updated_at: Timestamp,
  }),
);
