import type { ErrorKey, FlowDefinition } from '@codase/contracts';
import type { SubmittedTurn } from '@codase/testing';

/** The user who plays a party of a run: the company without a connection, a customer with one. */
export interface Seat {
  user_id: string;
  connection_id: string | null;
}

export interface Version {
  version: number;
  definition: FlowDefinition;
}

/** The expected state of a run, computed from the steps alone. A change makes a new object. */
export interface RunModel extends Version {
  id: string;
  seats: readonly (Seat & { party: string })[];
  status: string;
  node: string | null;
  reference_date: string;
  answers: ReadonlyMap<string, ReadonlyMap<string, string>>;
  private_slugs: ReadonlySet<string>;
  /** The events that the service gets, in order: the party of each turn, and the end. */
  events: readonly string[];
}

/** @spec D2-3 */
export function started(id: string, { version, definition }: Version, seats: RunModel['seats'], reference_date: string): RunModel {
  const run = { id, version, definition, seats, reference_date, answers: new Map(), private_slugs: new Set<string>() };
  return { ...run, ...at({ definition }, definition.entry, []) };
}

function at({ definition }: Pick<RunModel, 'definition'>, node: string, events: readonly string[]) {
  const { party } = definition.nodes.find(({ key }) => key === node)!;
  return { status: `awaiting_${party}`, node, events: [...events, party] };
}

export const isOver = ({ status }: RunModel): boolean => status === 'completed' || status === 'cancelled';

export const awaited = ({ status, seats }: RunModel) => seats.find(({ party }) => status === `awaiting_${party}`);

export const usersOf = ({ seats }: Pick<RunModel, 'seats'>): string[] => [...new Set(seats.map(({ user_id }) => user_id))];

export const waysOn = ({ definition, node }: RunModel): string[] => definition.edges.flatMap(({ from, to }) => (from === node ? [to] : []));

export const questionsOf = ({ definition, node }: RunModel) =>
  definition.nodes.find(({ key }) => key === node)!.elements.flatMap((element) => (element.kind === 'field' ? [element] : []));

/** Returns the refusal of a turn, if there is one. `fault` is the refusal for what is wrong with the body alone. @spec D2-7 */
export function refusalOf(run: RunModel, by: Seat, turn: SubmittedTurn, fault?: ErrorKey): ErrorKey | undefined {
  const seat = awaited(run);
  if (!run.seats.some(({ connection_id }) => connection_id === by.connection_id)) return 'flows.run_not_found';
  if (!seat) return 'flows.run_not_awaiting';
  if (seat.user_id !== by.user_id || seat.connection_id !== by.connection_id) return 'flows.not_your_turn';
  if (fault) return fault;
  const questions = questionsOf(run);
  if (turn.answers.some(({ slug }) => !questions.some((question) => question.slug === slug))) return 'flows.answer_invalid';
  const ways = waysOn(run);
  if (turn.leaf ? ways.length > 0 : !ways.includes(turn.next_node!)) return 'flows.next_node_invalid';
  return undefined;
}

/** Returns the run after an accepted turn. @spec D2-3 */
export function afterTurn(run: RunModel, { answers, next_node }: SubmittedTurn): RunModel {
  const known = new Map(run.answers);
  const private_slugs = new Set(run.private_slugs);
  for (const { slug, values, source_private } of answers) {
    known.set(slug, new Map(values.map(({ for_user_id, value }) => [for_user_id, value as string])));
    private_slugs[source_private ? 'add' : 'delete'](slug);
  }
  const moved = { ...run, answers: known, private_slugs };
  if (next_node !== undefined) return { ...moved, ...at(run, next_node, run.events) };
  if (run.definition.output_mode === 'document') return { ...moved, status: 'generating' };
  return { ...moved, status: 'completed', node: null, events: [...run.events, 'completed'] };
}

/** Returns what a completed run shares: the service's copy of each answer becomes the request field with its slug. @spec D2-1 */
export function sharedBy({ definition, seats, answers }: RunModel): [connection_id: string, slug: string, value: string][] {
  const company = seats.find(({ connection_id }) => connection_id === null)!.user_id;
  return seats.flatMap(({ party, connection_id }) => {
    const elements = definition.nodes.filter((node) => node.party === party).flatMap((node) => node.elements);
    return elements.flatMap((element): [string, string, string][] => {
      const value = element.kind === 'field' ? answers.get(element.slug)?.get(company) : undefined;
      return connection_id !== null && element.kind === 'field' && value !== undefined ? [[connection_id, element.slug, value]] : [];
    });
  });
}

/** Returns the events that a customer gets: the customer's own turns, and the end. @spec D2-6 */
export const heardBy = ({ events, seats }: RunModel, user_id: string): string[] =>
  events.flatMap((said) => {
    if (said === 'completed') return seats.some((seat) => seat.user_id === user_id) ? ['flow_completed'] : [];
    return seats.some((seat) => seat.party === said && seat.user_id === user_id) ? ['flow_run_turn'] : [];
  });

/** Returns the run after it was cancelled, which is possible in any open state. @spec D2-3 */
export const afterCancel = (run: RunModel): RunModel => ({ ...run, status: 'cancelled', node: null });
