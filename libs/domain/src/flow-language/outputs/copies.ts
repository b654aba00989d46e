import type { CopyStatus } from '../../states/run-copy.ts';
import type { Party, SignAction } from '../definition/definition.ts';
import { openStep, type SignedOutput, type Step } from './signing-line.ts';

/** A participant's copy of a produced document. @spec D2-2.2 @spec D2-3 */
export interface Copy {
  output_key: string;
  name: string;
  party_key: string;
  /** The position in the signing line. Null for a party that the output's signer list does not name. */
  position: number | null;
  /** What the party has to do: sign or accept. */
  action: SignAction | null;
  /** The status in the present state of the signing line. */
  status: CopyStatus;
}

/** Returns a copy for each output and participant, by the signing line; unsigned ones last and active. @spec D2-4.3.5 @spec D2-3 */
export function copiesOf(
  outputs: readonly (SignedOutput & { name: string })[],
  parties: readonly string[],
  line: readonly Step[],
  acted: ReadonlySet<number>,
): Copy[] {
  const copies = outputs.flatMap(({ output_key, name }) =>
    parties.map((party_key): Copy => {
      const step = line.find((each) => each.output_key === output_key && each.party === party_key);
      const { position = null, action = null } = step ?? {};
      return { output_key, name, party_key, position, action, status: statusOf(step, line, acted) };
    }),
  );
  return byPosition(copies);
}

function statusOf(step: Step | undefined, line: readonly Step[], acted: ReadonlySet<number>): CopyStatus {
  if (!step || acted.has(step.position)) return 'active';
  if (step !== openStep(line, acted)) return 'waiting';
  return step.action === 'sign' ? 'ready_to_sign' : 'offering';
}

const byPosition = <T extends { position: number | null }>(items: readonly T[]): T[] =>
  [...items].sort((a, b) => (a.position ?? Infinity) - (b.position ?? Infinity) || 0); // two nulls give NaN: keep their order

/** Returns the primary counterparty: the first party that is not the owner. @spec D2-2.2 */
export const primaryParty = (parties: readonly Party[]): Party | undefined => parties.find(({ type }) => type !== 'owner');

/** A participant with its copies, ordered by position. */
export interface Participant {
  party_key: string;
  documents: Copy[];
}

/** Returns one entry for each party, ordered by first position. Parties that sign nothing come last, in party order. @spec D2-2.2 */
export function participantsOf(copies: readonly Copy[], parties: readonly string[]): Participant[] {
  const entries = parties.map((party_key) => ({ party_key, documents: byPosition(copies.filter((copy) => copy.party_key === party_key)) }));
  const placed = entries.map((entry) => ({ entry, position: entry.documents[0]?.position ?? null }));
  return byPosition(placed).map(({ entry }) => entry);
}
