import { FileReference, isFileReference, Refusal, type FlowDefinition, type SentAnswer } from '@codase/contracts';
import { awaitedParty } from '@codase/domain';
import { usersOf, type PartyRow, type PlayedRun } from '../run-row.ts';

/** A turn that a party submits, with the run against which it is checked. */
export interface Turn extends PlayedRun {
  /** The user who submits; a customer submits by one connection. */
  by: { user_id: string; connection_id: string | null };
  answers: readonly SentAnswer[];
  next_node?: string | undefined;
  leaf?: boolean | undefined;
  /** Whether one of the users who take part has deleted the account. */
  hasDeletedParty: boolean;
  /** Whether the value of a field of the type is a file. */
  isBinary(type: string): boolean;
  /** Files that were uploaded for this run, by id. */
  files: ReadonlyMap<string, { slug: string; for_user_id: string }>;
}

type PartyTurn = Pick<Turn, 'run' | 'parties' | 'definition' | 'by' | 'hasDeletedParty'>;

/** Refuses when the run does not wait now for the party that takes or prepares the turn. Returns the party. @spec D2-7 */
export function checkPartyTurn(turn: PartyTurn): PartyRow {
  for (const check of [checkCounterparty, checkAwaiting, checkParty]) check(turn);
  return awaitedIn(turn)!;
}

/** Does all checks that can refuse a turn, in the order of the contract. Returns the party. @spec D2-7 */
export function checkTurn(turn: Turn): PartyRow {
  const party = checkPartyTurn(turn);
  for (const check of [checkCopies, checkAnswers, checkRecipients, checkSealed, checkFiles, checkWayOn]) check(turn);
  return party;
}

/** Refuses writes when a party has deleted the account. The run stays readable. @spec D2-4.1 */
export function checkCounterparty({ hasDeletedParty }: Pick<PartyTurn, 'hasDeletedParty'>): void {
  if (hasDeletedParty) throw new Refusal('account.counterparty_deleted');
}

function checkAwaiting({ run }: PartyTurn): void {
  if (awaitedParty(run.status) === undefined) throw new Refusal('flows.run_not_awaiting');
}

const awaitedIn = ({ run, parties }: PartyTurn): PartyRow | undefined =>
  parties.find(({ party_key }) => party_key === awaitedParty(run.status));

function checkParty(turn: PartyTurn): void {
  const awaited = awaitedIn(turn);
  if (awaited?.user_id !== turn.by.user_id || awaited.connection_id !== turn.by.connection_id) throw new Refusal('flows.not_your_turn');
}

/** Requires one copy of each answer for each bound user. @spec D2-2.3 */
function checkCopies({ parties, answers }: Turn): void {
  const users = usersOf(parties);
  for (const [nth, { values }] of answers.entries()) {
    const missing = users.find((user) => !values.some(({ for_user_id }) => for_user_id === user));
    if (missing !== undefined) throw new Refusal('flows.answer_party_missing').because(`answers.${nth}: has no copy for ${missing}`);
  }
}

type Question = Extract<FlowDefinition['nodes'][number]['elements'][number], { kind: 'field' | 'plugin' }>;

/** Returns the questions of the current step. A text or an image asks nothing. */
export const questionsOf = ({ run, definition }: Pick<PlayedRun, 'run' | 'definition'>): Question[] =>
  (definition.nodes.find(({ key }) => key === run.current_node)?.elements ?? []).filter(
    (element): element is Question => element.kind === 'field' || element.kind === 'plugin',
  );

const badAnswer = (reason: string) => new Refusal('flows.answer_invalid').because(reason);

/** Checks that each answer is for a question of the step, only once. The answer of a plugin is never private. @spec D2-2.3 @spec D2-2.6 */
function checkAnswers(turn: Turn): void {
  const questions = questionsOf(turn);
  for (const [nth, { slug, source_private }] of turn.answers.entries()) {
    const question = questions.find((one) => one.slug === slug);
    if (!question) throw badAnswer(`answers.${nth}.slug: is no question of the step ${turn.run.current_node}`);
    if (turn.answers.findIndex((other) => other.slug === slug) !== nth) throw badAnswer(`${slug}: answer it once`);
    if (source_private && question.kind === 'plugin') throw badAnswer(`${slug}: the answer of a plugin is never private`);
  }
}

/** @spec D2-7 */
function checkRecipients({ parties, answers }: Turn): void {
  const users = usersOf(parties);
  for (const { slug, values } of answers) {
    const stranger = values.find(({ for_user_id }, nth) => {
      const isTwice = values.findIndex((other) => other.for_user_id === for_user_id) !== nth;
      return isTwice || !users.includes(for_user_id);
    });
    if (stranger)
      throw new Refusal('flows.answer_party_invalid').because(`${slug}: one of its copies is for nobody who takes part, or there twice`);
  }
}

/** Refuses a reference as the answer of a field without a file, since a reference is plaintext. @spec D2-2.2 */
function checkSealed(turn: Turn): void {
  const isBinary = binaryIn(turn);
  for (const { slug, values } of turn.answers) {
    const isReference = values.some(({ value }) => isFileReference(value));
    if (isReference && !isBinary(slug)) throw new Refusal('contact_data.encryption_required').because(`${slug}: holds no file, so seal it`);
    if (isBinary(slug) && !values.every(({ value }) => isFileReference(value)))
      throw badAnswer(`${slug}: holds a file: upload each copy, then answer with {"_enc_file": file}`);
  }
}

const binaryIn = (turn: Turn) => {
  const binary = questionsOf(turn).filter((question) => question.kind === 'field' && turn.isBinary(question.type));
  return (slug: string) => binary.some((question) => question.slug === slug);
};

/** Parses a reference to a file; undefined when the value is none. */
export const referredFile = (value: string): FileReference | undefined =>
  isFileReference(value) ? FileReference.parse(JSON.parse(value)) : undefined;

/** Checks that each reference names the copy that was uploaded for this run, this question and this party. @spec D2-4.2 */
function checkFiles({ answers, files }: Turn): void {
  for (const { slug, values } of answers)
    for (const { for_user_id, value } of values) {
      const reference = referredFile(value);
      if (!reference) continue;
      const file = files.get(reference._enc_file);
      if (file?.slug !== slug || file.for_user_id !== for_user_id)
        throw badAnswer(`${slug}: ${reference._enc_file} was not uploaded for it and for ${for_user_id}`);
    }
}

/** Checks that the way exists that the party chose: the server does not choose it. @spec D2-1 @spec D2-3 */
function checkWayOn({ run, definition, next_node, leaf }: Turn): void {
  const ways = definition.edges.filter(({ from }) => from === run.current_node);
  if (leaf ? ways.length > 0 : !ways.some(({ to }) => to === next_node)) throw new Refusal('flows.next_node_invalid');
}
