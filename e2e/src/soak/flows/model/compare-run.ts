import { isDeepStrictEqual } from 'node:util';
import type { Run } from '@codase/contracts';
import type { RunModel, Seat } from './run-model.ts';

export class Difference extends Error {}

export function same(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Difference(`${what}:\n  is      ${JSON.stringify(actual)}\n  must be ${JSON.stringify(expected)}`);
}

/** Returns the state of a run, and the copies that the company has. */
export const ofRun = ({ status, current_node, answers }: Run) => [status, current_node, copiesIn(answers)];
export const ofModel = (run: RunModel) => [run.status, run.node, copiesOf(run, companyOf(run))];

const companyOf = ({ seats }: RunModel): string => seats.find(({ connection_id }) => connection_id === null)!.user_id;

const copiesIn = (answers: Run['answers']) => answers.map(({ slug, for_user_id, value }) => `${slug} ${for_user_id} ${value}`).sort();
const copiesOf = ({ answers }: RunModel, user: string) =>
  [...answers].map(([slug, copies]) => `${slug} ${user} ${copies.get(user)}`).sort();

export const presented = (run: Run) => ({
  id: run.id,
  status: run.status,
  current_node: run.current_node,
  flow_version: run.flow_version,
  connection_id: run.connection_id,
  bindings: run.bindings,
  participants: run.participants.map(({ party_key, person_user_id, connection_id }) => [party_key, person_user_id, connection_id]),
  answers: copiesIn(run.answers),
  definition: run.definition,
  reference_date: run.reference_date,
  private_slugs: run.private_slugs,
});

/** Returns what a reader must get of a run: own copies, and for a customer no connections of others. @spec D2-2.2 */
export const expectedOf = (run: RunModel, { user_id, connection_id: own }: Seat): ReturnType<typeof presented> => ({
  id: run.id,
  status: run.status as Run['status'],
  current_node: run.node,
  flow_version: run.version,
  connection_id: own ?? run.seats.find(({ connection_id }) => connection_id !== null)!.connection_id,
  bindings: Object.fromEntries(run.seats.map((seat) => [seat.party, seat.user_id])),
  participants: run.seats.map(({ party, user_id: user, connection_id }) => [
    party,
    user,
    own === null || connection_id === own ? connection_id : null,
  ]),
  answers: copiesOf(run, user_id),
  definition: run.definition,
  reference_date: run.reference_date,
  private_slugs: [...run.private_slugs].sort(),
});
