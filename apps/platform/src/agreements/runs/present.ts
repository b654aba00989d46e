import type { CustomerRun, FlowDefinition, Run, RunSummary } from '@codase/contracts';
import type { RunCopy } from '../documents/index.ts';
import { isCustomer, primaryOf, type AnswerRow, type PartyRow, type PlayedRun, type RunRow, type TagValuesRow } from './run-row.ts';

type ListedRun = Pick<RunRow, 'run_id' | 'flow_id' | 'status' | 'current_node'>;

/** A run in a list. @spec D2-4.1 */
export const presentSummary = ({ run_id: id, flow_id, status, current_node }: ListedRun): RunSummary => ({
  id,
  flow_id,
  status,
  current_node,
});

/** The copies of one reader, and of nobody else, in a run. @spec D2-2.2 */
export interface OwnCopies {
  answers: readonly AnswerRow[];
  tag_values: TagValuesRow | undefined;
  source_files: readonly { source_key: string; file_id: string }[];
  /** The copies of all participants, in line order. Everybody who takes part sees the whole line. */
  documents: readonly RunCopy[];
}

/** The reader of a run: the owner, or a customer by one connection. */
export interface Reader {
  user_id: string;
  connection_id: string | null;
}

/** @spec D2-2.2 */
export function presentRun({ run, parties, definition }: PlayedRun, reader: Reader, copies: OwnCopies): Run {
  const { tag_values } = copies;
  return {
    ...presentSummary(run),
    flow_version: run.flow_version,
    service_id: run.service_id,
    connection_id: reader.connection_id ?? primaryOf(parties)?.connection_id ?? null,
    company_user_id: run.company_user_id,
    bindings: Object.fromEntries(parties.map(({ party_key, user_id }) => [party_key, user_id])),
    participants: byFirstPosition(parties, copies.documents).map((party) => presentParticipant(party, reader, copies.documents)),
    output_mode: definition.output_mode,
    parties: definition.parties.map(({ key, label }) => ({ key, label })),
    answers: copies.answers.map(({ slug, for_user_id, value, verification }) => ({ slug, for_user_id, value, ...verification })),
    definition,
    reference_date: run.reference_date,
    private_slugs: run.private_slugs,
    owner_tag_values: run.owner_tag_values,
    tag_values: tag_values ? { public: tag_values.public, public_tags: tag_values.public_tags, private: tag_values.private } : null,
    source_files: Object.fromEntries(copies.source_files.map(({ source_key, file_id }) => [source_key, file_id])),
  };
}

/** Presents a party. A customer does not see the connections of other customers. @gap D2-2.2 */
const presentParticipant = (
  { party_key, user_id, connection_id }: PartyRow,
  reader: Reader,
  documents: readonly RunCopy[],
): Run['participants'][number] => ({
  party_key,
  person_user_id: user_id,
  connection_id: reader.connection_id === null || connection_id === reader.connection_id ? connection_id : null,
  documents: documents.filter((copy) => copy.party_key === party_key).map(presentCopy),
});

const presentCopy = (copy: RunCopy): Run['participants'][number]['documents'][number] => ({
  output_key: copy.output_key,
  name: copy.name,
  document_id: copy.document_id,
  document_status: copy.status,
  requires_signature: copy.requires_signature,
  requires_acceptance: copy.requires_acceptance,
  position: copy.position,
  action: copy.action,
  acted_at: copy.acted_at?.toISOString() ?? null,
});

/** Orders the parties by their first place in the signing line. Those without a place come last, in their own order. @spec D2-2.2 */
function byFirstPosition(parties: readonly PartyRow[], documents: readonly RunCopy[]): PartyRow[] {
  const positionOf = ({ party_key }: PartyRow) => documents.find((copy) => copy.party_key === party_key)?.position ?? Infinity;
  return parties.toSorted((one, other) => positionOf(one) - positionOf(other) || one.position - other.position);
}

/** Presents a run with the public key of every bound user; the company's key is the service key. @gap D2-4.4 */
export const presentCustomerRun = (
  played: PlayedRun,
  reader: Reader,
  copies: OwnCopies,
  service_public_key: string | null,
): CustomerRun => ({
  ...presentRun(played, reader, copies),
  party_keys: Object.fromEntries(
    played.parties.flatMap((party): [string, string][] => {
      const key = isCustomer(party) ? party.public_key : service_public_key;
      return key === null ? [] : [[party.user_id, key]];
    }),
  ),
});

/** Returns the current node of a run; undefined when the run is over. */
export const nodeOf = (definition: FlowDefinition, key: string | null) => definition.nodes.find((node) => node.key === key);
