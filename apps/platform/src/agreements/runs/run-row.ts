import type { FlowDefinition } from '@codase/contracts';
import type { PublishedVersion } from '../../services/flows/index.ts';
import type { HomeState } from '../../foundation/regions/index.ts';
import type { FlowRunEntity, FlowRunPartyEntity, FlowRunAnswerEntity, FlowRunTagValuesEntity } from './flow-run.entity.ts';

/** A run as the company's region stores it. Its definition, parties and answers are in other tables. @spec D2-2.2 */
export type RunRow = Omit<FlowRunEntity, 'repeat_hash'>;

/** A party of the definition and the user it is bound to; the owner has no connection. @spec D2-2.1 */
export type PartyRow = Omit<FlowRunPartyEntity, 'run_party_id' | 'company_user_id' | 'created_at'>;

/** A party that is bound to a customer. */
export type CustomerParty = PartyRow & {
  connection_id: string;
  customer_type: 'person' | 'company';
  share_code: string;
  public_key: string;
};
export const isCustomer = (party: PartyRow): party is CustomerParty => party.connection_id !== null;

/** A run that is about to be written, with its parties. `home` is the home state of its company, held until the transaction ends. */
export interface TargetRun extends Pick<RunRow, 'run_id' | 'company_user_id' | 'service_id' | 'flow_id'> {
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
export type AnswerRow = Pick<FlowRunAnswerEntity, 'slug' | 'for_user_id' | 'value' | 'source_private' | 'verification'>;

/** The values of customers that text shows, for one recipient. */
export type TagValuesRow = Omit<FlowRunTagValuesEntity, 'tag_values_id' | 'company_user_id' | 'run_id'>;

/** Returns the users that a run is bound to, each once. */
export const usersOf = (parties: readonly PartyRow[]): string[] => [...new Set(parties.map(({ user_id }) => user_id))];

/** Returns the primary counterparty: the first party that is bound to a customer, in the order of the definition. @spec D2-2.2 */
export const primaryOf = (parties: readonly PartyRow[]): CustomerParty | undefined => parties.find(isCustomer);

/** Returns the customer whom events name that are about the company's own part: the primary counterparty. @spec D2-6 */
export function counterpartyOf(parties: readonly PartyRow[]) {
  const primary = primaryOf(parties);
  return primary && { connection_id: primary.connection_id, person_user_id: primary.user_id, share_code: primary.share_code };
}

/**
 * Returns the ids of the definitions that runs of a version share. The first one is that of new runs; the other one have runs that an
 * earlier release started.
 */
export const definitionIdsOf = ({ flow_version_id, flow_id, version }: VersionKeys): [string, string] => [
  flow_version_id,
  `${flow_id}_${version}`,
];
type VersionKeys = Pick<PublishedVersion, 'flow_version_id' | 'flow_id' | 'version'>;
