import { createHash } from 'node:crypto';
import type { Flow, FlowDefinition, FlowSummary } from '@cds/contracts';
import type { z } from 'zod';
import type { OwnService } from '../services/index.ts';

/** Which flow, and whose: every statement names the company, so that nobody reaches another's. */
export interface OwnFlow {
  company_user_id: string;
  flow_id: string;
}

/** A flow without what its author writes. */
export interface FlowRow extends OwnFlow, OwnService {
  name: string;
  /** Counts the changes of the draft. */
  draft_version: number;
  /** The version that new runs are pinned to. */
  published_version: number | null;
  created_at: Date;
  updated_at: Date;
}

/** The same with its draft, which may be anything. */
export interface DraftRow extends FlowRow {
  draft: Record<string, unknown>;
}

/** A version that was published. It never changes. @spec D2-9 */
export interface PublishedVersion {
  flow_id: string;
  version: number;
  /** With the descriptions of the plugins as they were. @spec D2-2.6 */
  definition: FlowDefinition;
  /** The plugins that its elements use, by their ids. */
  plugins: string[];
  published_at: Date;
}

/** Names the state of a draft; opaque to the caller, and another with every change. */
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
