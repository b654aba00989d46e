import type { ErrorKey, FlowDefinition } from '@cds/contracts';
import type { SubmittedTurn } from '@cds/testing';

/** Whoever takes a part in a run: the company without a connection, a customer by one. */
export interface Seat {
  user_id: string;
  connection_id: string | null;
}

/** A version of a flow that was published. */
export interface Version {
  version: number;
  definition: FlowDefinition;
}

/** What a run must be, by what was said about it and nothing else. Moves make a new one. */
export interface RunModel extends Version {
  id: string;
  /** In the order of the definition. */
  seats: readonly (Seat & { party: string })[];
  status: string;
  node: string | null;
  reference_date: string;
  /** What was answered, with the copy of each user. */
  answers: ReadonlyMap<string, ReadonlyMap<string, string>>;
  private_slugs: ReadonlySet<string>;
  /** What the service hears of, in order: the party of each turn, and the end. */
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

/** Whose turn it is. */
export const awaited = ({ status, seats }: RunModel) => seats.find(({ party }) => status === `awaiting_${party}`);

/** Everybody who holds a copy of each answer. */
export const usersOf = ({ seats }: Pick<RunModel, 'seats'>): string[] => [...new Set(seats.map(({ user_id }) => user_id))];

/** Where a turn may lead. */
export const waysOn = ({ definition, node }: RunModel): string[] => definition.edges.flatMap(({ from, to }) => (from === node ? [to] : []));

export const questionsOf = ({ definition, node }: RunModel) =>
  definition.nodes.find(({ key }) => key === node)!.elements.flatMap((element) => (element.kind === 'field' ? [element] : []));

/** The refusal of a turn; undefined where it is taken. What is wrong with the body alone, `fault` says. @spec D2-7 */
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

/** The run after a turn that is not refused. @spec D2-3 */
export function afterTurn(run: RunModel, { answers, next_node }: SubmittedTurn): RunModel {
  const held = new Map(run.answers);
  const private_slugs = new Set(run.private_slugs);
  for (const { slug, values, source_private } of answers) {
    held.set(slug, new Map(values.map(({ for_user_id, value }) => [for_user_id, value as string])));
    private_slugs[source_private ? 'add' : 'delete'](slug);
  }
  const moved = { ...run, answers: held, private_slugs };
  if (next_node !== undefined) return { ...moved, ...at(run, next_node, run.events) };
  if (run.definition.output_mode === 'document') return { ...moved, status: 'generating' };
  return { ...moved, status: 'completed', node: null, events: [...run.events, 'completed'] };
}

/** What customers answered in a run that is completed: the service's copy becomes the value of the row of that slug. @spec D2-1 */
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

/** What a customer hears of: the own turns, and the end. @spec D2-6 */
export const heardBy = ({ events, seats }: RunModel, user_id: string): string[] =>
  events.flatMap((said) => {
    if (said === 'completed') return seats.some((seat) => seat.user_id === user_id) ? ['flow_completed'] : [];
    return seats.some((seat) => seat.party === said && seat.user_id === user_id) ? ['flow_run_turn'] : [];
  });

/** From any open state. @spec D2-3 */
export const afterCancel = (run: RunModel): RunModel => ({ ...run, status: 'cancelled', node: null });
