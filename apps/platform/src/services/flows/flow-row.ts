import { createHash } from 'node:crypto';
import type { Flow, FlowDefinition, FlowSummary } from '@codase/contracts';
import type { z } from 'zod';
import type { OwnService } from '../services/index.ts';

/** A flow and its company. Every statement names the company, so that no caller reaches a flow of another company. */
export interface OwnFlow {
  company_user_id: string;
  flow_id: string;
}

/** A flow without its draft. */
export interface FlowRow extends OwnFlow, OwnService {
  name: string;
  /** The number of changes of the draft. */
  draft_version: number;
  /** The version to which new runs are pinned; null before the first publication. */
  published_version: number | null;
  created_at: Date;
  updated_at: Date;
}

/** A flow with its draft, which may have any content. */
export interface DraftRow extends FlowRow {
  draft: Record<string, unknown>;
}

/** A version that was published. It never changes. @spec D2-9 */
export interface PublishedVersion {
  flow_id: string;
  version: number;
  /** The definition, with the descriptions of its plugins at the time of publication. @spec D2-2.6 */
  definition: FlowDefinition;
  /** The plugins that its elements use, by their ids. */
  plugins: string[];
  published_at: Date;
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
