import { createHash } from 'node:crypto';
import type { Flow, FlowDefinition, FlowSummary } from '@codase/contracts';
import type { z } from 'zod';
import type { FlowEntity, FlowVersionEntity } from './flow.entity.ts';

/** A flow and its company. Every statement names the company, so that no caller reaches a flow of another company. */
export type OwnFlow = Pick<FlowEntity, 'company_user_id' | 'flow_id'>;

/** A flow without its draft. */
export type FlowRow = Omit<FlowEntity, 'draft' | 'draft_plugins'>;

/** A flow with its draft, which may have any content. */
export interface DraftRow extends FlowRow {
  draft: Record<string, unknown>;
}

/** A version that was published. It never changes. @spec D2-9 */
export interface PublishedVersion extends Pick<FlowVersionEntity, 'flow_version_id' | 'flow_id' | 'version' | 'plugins' | 'published_at'> {
  /** The definition, with the descriptions of its plugins at the time of publication. @spec D2-2.6 */
  definition: FlowDefinition;
}

/** Returns the token that names the state of a draft. It is opaque to the caller, and differs after every change. */
export const draftToken = ({ flow_id, draft_version }: Pick<FlowRow, 'flow_id' | 'draft_version'>): string =>
  createHash('sha256').update(`${flow_id} ${draft_version}`).digest('base64url').slice(0, 22);

export const presentSummary = ({ flow_id, service_id, name, published_version, updated_at }: FlowRow): z.output<typeof FlowSummary> => ({
  id: flow_id,
  service_id,
  name,
  published_version,
  updated_at: updated_at.toISOString(),
});

export const presentFlow = (row: DraftRow): z.output<typeof Flow> => ({
  ...presentSummary(row),
  draft_token: draftToken(row),
  draft: row.draft,
});
