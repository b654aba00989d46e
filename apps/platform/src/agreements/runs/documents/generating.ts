import { Refusal } from '@codase/contracts';
import { availableSources, type Definition, type FlowNode } from '@codase/domain/flow-language';
import type { Reader } from '../present.ts';
import { isCustomer, type AnswerRow, type PartyRow, type PlayedRun } from '../run-row.ts';
import { checkCounterparty } from '../turns/turn-checks.ts';

/** How long a generation may take. The suite and the region of a customer wait as long for the answer. */
export const GENERATING_MS = 60_000;

/** A run with all that a generation is checked against. */
interface Generating extends PlayedRun {
  /** The user who generates; a customer does by one connection. */
  by: Reader;
  hasDeletedParty: boolean;
}

/** Refuses unless the run is at a document leaf, and the caller answered last. Returns the leaf. @spec D2-1 @spec D2-4.3 */
export function checkGenerating(generating: Generating): FlowNode {
  checkCounterparty(generating);
  const leaf = leafOf(generating);
  if (generating.run.status !== 'generating' || !leaf) throw new Refusal('flows.not_generatable');
  checkGenerator(generating);
  return leaf;
}

/** @spec D2-1 */
export function checkGenerator({ run, parties, by }: Omit<Generating, 'hasDeletedParty'>): void {
  const party = parties.find(({ party_key }) => party_key === run.last_party);
  if (party?.user_id !== by.user_id || party.connection_id !== by.connection_id) throw new Refusal('flows.not_your_turn');
}

const leafOf = ({ run, definition }: PlayedRun): FlowNode | undefined =>
  (definition as Definition).nodes.find(({ key, output }) => key === run.current_node && output !== undefined);

/** Returns the sources of participants that the run holds for the generating party: exactly these are its inputs. @spec D2-4.3.7 */
export function sourcesOf(leaf: FlowNode, answers: readonly AnswerRow[], sources: readonly { source_key: string }[]): string[] {
  return availableSources(leaf, {
    answers: Object.fromEntries(answers.map(({ slug, value }) => [slug, value])),
    source_files: Object.fromEntries(sources.map(({ source_key }) => [source_key, true])),
  });
}

type Named = { source_key: string; input: string };

/** Returns the inputs by source. Refuses unless they are those that the run holds, each uploaded for it. @spec D2-4.3.7 */
export function checkInputs<Uploaded extends { input_id: string; source_key: string }>(
  sources: readonly string[],
  given: readonly Named[],
  uploaded: readonly Uploaded[],
): Map<string, Uploaded> {
  const inputs = new Map(given.map(({ source_key, input }) => [source_key, input]));
  const missing = sources.find((key) => !inputs.has(key));
  if (missing !== undefined) throw mismatch(`${missing}: has no input`);
  const isExact = given.length === sources.length && inputs.size === given.length;
  if (!isExact) throw mismatch('name exactly the sources that the run holds at this leaf, each once');
  return new Map(
    [...inputs].map(([source_key, input]) => {
      const found = uploaded.find((one) => one.input_id === input && one.source_key === source_key);
      if (!found) throw mismatch(`${source_key}: ${input} was not uploaded for it, or is not kept any more: upload it again`);
      return [source_key, found];
    }),
  );
}

export const mismatch = (reason: string) => new Refusal('flows.generate_inputs_mismatch').because(`inputs: ${reason}`);

/** Returns to whom a party's copy is encrypted: a customer has a key, and the service has that of the company. */
export const readerOf = (document_id: string, party: PartyRow, service_key: string) =>
  isCustomer(party)
    ? { document_id, reader: 'recipient' as const, public_key: party.public_key }
    : { document_id, reader: 'company' as const, public_key: service_key };
