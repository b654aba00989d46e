import { z } from 'zod';
import { named } from '../core/named.ts';
import { envelope } from '../core/file.ts';
import { Id, Sha256, Timestamp } from '../core/text.ts';
import { TEMPLATE_CHARS } from './limits.ts';
import { Finding } from './finding.ts';
import { FlowDefinition, FlowDraft } from './flow-definition.ts';

/** The latest published version, and the types of the fields that the service asks for. @spec D2-4.1 */
export const PublishedFlow = named(
  'PublishedFlow',
  z.object({
    version: z.int(),
    definition: FlowDefinition,
    request_field_types: z.record(z.string(), z.string()),
  }),
);

/** A published flow as callers that start runs find it. @gap D2-4.1 */
export const PublishedFlowSummary = named('PublishedFlowSummary', z.object({ id: Id, name: z.string(), version: z.int() }));

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

/** The result of publishing: any error blocks it, and all findings are listed at once. @spec D2-7 @gap D2-1 */
export const Publication = named(
  'Publication',
  z.object({
    published: z.boolean(),
    version: z.int().nullable(),
    findings: z.array(Finding),
  }),
);

/** A PDF with value tags, or an image that steps show. @gap D2-1 */
export const Template = named(
  'Template',
  z.object({
    asset_key: z.string(),
    kind: z.enum(['pdf', 'image']),
    original_name: z.string(),
    mime_type: z.string(),
    size: z.int(),
    sha256: Sha256,
    /** The value tags on its pages; none for an image. */
    tags: z.array(z.string()),
    updated_at: Timestamp,
  }),
);

/** A PDF or an image, as it is sent. @gap D2-1 */
export const TemplateEnvelope = envelope(TEMPLATE_CHARS, 'documents.too_large');

/** A published version in the portal's list. @gap D2-9 */
export const FlowVersionSummary = named('FlowVersionSummary', z.object({ version: z.int(), published_at: Timestamp }));

/** A published version. It never changes. @spec D2-9 @gap D2-9 */
export const FlowVersion = named(
  'FlowVersion',
  FlowVersionSummary.extend({
    definition: FlowDefinition,
    /** The files with which the version was published. */
    files: z.array(z.object({ asset_key: z.string(), sha256: Sha256 })),
  }),
);

/** One difference between two versions, and where it is. @gap D2-9 */
export const FlowChange = named(
  'FlowChange',
  z.object({
    change: z.enum(['added', 'removed', 'changed']),
    where: Finding.shape.where.extend({ file: z.string().optional() }),
    /** The member that differs; null when the whole thing is new or gone. */
    member: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
  }),
);
export type FlowChange = z.infer<typeof FlowChange>;

/** A step of a draft as its party would see it, and what submitting it would do. @gap D2-1 */
export const FlowPreview = named(
  'FlowPreview',
  z.object({
    node: z.string(),
    party: z.string(),
    title: z.string(),
    /** What is shown: texts with their values filled in, fields with what they hold. */
    elements: z.array(
      z.object({
        kind: z.enum(['field', 'text', 'image', 'plugin']),
        slug: z.string().nullable(),
        label: z.string().nullable(),
        /** For a text: the text as it is shown. */
        text: z.string().nullable(),
        /** For a question: what it holds now, its default included. */
        value: z.string().nullable(),
      }),
    ),
    constants: z.array(z.object({ key: z.string(), label: z.string(), value: z.string().nullable() })),
    /** Why the step cannot be submitted as it is. */
    problems: z.array(z.object({ slug: z.string().nullable(), problem: z.string() })),
    /** Where the run would go; null while there are problems. */
    next: z
      .object({
        /** The status that a run would have. */
        status: z.string(),
        node: z.string().nullable(),
        /** The answers so far with those of this step, to send with the next call. */
        answers: z.record(z.string(), z.string()),
        /** At a document leaf: the documents that would be made, and by which rule. */
        documents: z.array(z.object({ output_key: z.string(), name: z.string(), rule: z.int(), source: z.string() })),
        /** The signatures of these documents, in the order of the signing line. */
        signing_line: z.array(
          z.object({ position: z.int(), output_key: z.string(), party: z.string(), action: z.enum(['sign', 'accept']) }),
        ),
      })
      .nullable(),
  }),
);
export type FlowPreview = z.infer<typeof FlowPreview>;
