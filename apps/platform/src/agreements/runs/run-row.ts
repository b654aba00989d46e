import type { FlowDefinition, RunStatus, Verification } from '@codase/contracts';
import type { HomeState } from '../../foundation/regions/index.ts';

/** A run as the company's region stores it. Its definition, parties and answers are in other tables. @spec D2-2.2 */
export interface RunRow {
  run_id: string;
  company_user_id: string;
  service_id: string;
  flow_id: string;
  flow_version: number;
  /** The definition, which all runs of one version share. */
  definition_id: string;
  status: RunStatus;
  /** Null when the run is over. */
  current_node: string | null;
  /** The party that answered last. At a document leaf this party generates the documents. @spec D2-1 */
  last_party: string | null;
  reference_date: string;
  private_slugs: string[];
  owner_tag_values: Record<string, { v: string; t: string }> | null;
  created_at: Date;
  /** When answers, files and tag values were deleted. @spec D2-8 */
  data_removed_at: Date | null;
}

/** A party of the definition and the user it is bound to; the owner has no connection. @spec D2-2.1 */
export interface PartyRow {
  run_id: string;
  position: number;
  party_key: string;
  user_id: string;
  connection_id: string | null;
  customer_type: 'person' | 'company' | null;
  share_code: string | null;
  public_key: string | null;
}

/** A party that is bound to a customer. */
export type CustomerParty = PartyRow & {
  connection_id: string;
  customer_type: 'person' | 'company';
  share_code: string;
  public_key: string;
};
export const isCustomer = (party: PartyRow): party is CustomerParty => party.connection_id !== null;

/** A run that is about to be written, with its parties. `home` is the home state of its company, held until the transaction ends. */
export interface HeldRun extends Pick<RunRow, 'run_id' | 'company_user_id' | 'service_id' | 'flow_id'> {
  home: HomeState | null;
  parties: PartyRow[];
  /** The key of the service; null when the service was deleted. */
  service_key: string | null;
}

/** A run with its parties, in the order of the definition. */
export interface BoundRun {
  run: RunRow;
  parties: PartyRow[];
}

/** A run with all that a turn is checked against. */
export interface PlayedRun extends BoundRun {
  definition: FlowDefinition;
}

/** A copy of an answer for one user. */
export interface AnswerRow {
  slug: string;
  for_user_id: string;
  value: string;
  source_private: boolean;
  verification: Verification;
}

/** The values of customers that text shows, for one recipient. */
export interface TagValuesRow {
  for_user_id: string;
  public: string;
  public_tags: string[];
  private: Record<string, string>;
}

/** Returns the users that a run is bound to, each once. */
export const usersOf = (parties: readonly PartyRow[]): string[] => [...new Set(parties.map(({ user_id }) => user_id))];

/** Returns the primary counterparty: the first party that is bound to a customer, in the order of the definition. @spec D2-2.2 */
export const primaryOf = (parties: readonly PartyRow[]): CustomerParty | undefined => parties.find(isCustomer);

/** Returns the customer whom events name that are about the company's own part: the primary counterparty. @spec D2-6 */
export function counterpartyOf(parties: readonly PartyRow[]) {
  const primary = primaryOf(parties);
  return primary && { connection_id: primary.connection_id, person_user_id: primary.user_id, share_code: primary.share_code };
}

/** Returns the id of the definition that all runs of a version share. */
export const definitionIdOf = ({ flow_id, version }: { flow_id: string; version: number }): string => `${flow_id}_${version}`;
