import {
  ANSWER_TURN,
  CANCEL_RUN,
  HAND_BACK_TURN,
  LIST_TURNS,
  Refusal,
  RESUME_TURN,
  START_RUN,
  TAKE_TURN,
  type RunState,
  type RunToStart,
  type TakenTurn,
  type TurnQuery,
  type TurnSummary,
} from '@cds/contracts';
import type { Bus } from '@cds/runtime/bus';
import { isTransient, repeat, retry, type Repeated } from '@cds/runtime/resilience';
import { count, countFromZero, inSpan, SpanKind, type Log } from '@cds/runtime/telemetry';
import { REQUEST_TIMEOUT_MS } from './gateway-door.ts';
import { METRICS } from './metrics.ts';

/** What each step of a flow asks and knows; `cds flows types FLOW` writes it from a published definition. */
export type FlowTypes = Record<string, { answers: object; gives: object }>;
/** A flow of which no types were generated. */
export type AnyFlow = Record<string, { answers: Record<string, unknown>; gives: Record<string, unknown> }>;

/** A turn as its handler gets it: what was answered before, in the clear, and what is asked now. */
export type Turn<Answers extends object = Record<string, unknown>> = Omit<TakenTurn, 'answers'> & { answers: Answers };

/** One for each step that the service plays, by the key of its node. It answers the fields of the step. */
export type TurnHandlers<Flow extends FlowTypes = AnyFlow> = {
  [Node in keyof Flow]?: (turn: Turn<Flow[Node]['answers']>) => Promise<Flow[Node]['gives']> | Flow[Node]['gives'];
};

export interface OnTurnOptions {
  /** Turns that are handled at once in this process; 1 unless given. */
  atOnce?: number;
  /** How long a handler may take; then its turn is offered to others. 300 unless given. */
  holdSeconds?: number;
  /**
   * Called when a handler threw, or when what it answered does not fit: then it is the refusal `flows.turn_answer_invalid`, which names
   * each member in `extras.faults`. The turn is offered again after a pause, and parked when that happens ten times.
   */
  onError?(error: unknown, turn: TakenTurn): void;
}

export interface StartRunOptions extends Omit<RunToStart, 'flow_id' | 'idempotency_key'> {
  /** What you know the run by, new for each: the same key is the same run. A service that died in the middle gives it again. */
  key: string;
  timeoutMs?: number;
}

/** A handler that is at work. */
export interface RunningTurns {
  /** Takes no further turn, and ends when those in hand are over. */
  stop(): Promise<void>;
}

type Waits = { timeoutMs?: number };

/** Contract flows of the service: runs are started, and the company's turns played, by services or by people. */
export interface Flows {
  /** Starts a run with connected customers. */
  start(flow_id: string, options: StartRunOptions): Promise<RunState>;
  cancel(flow_run_id: string, options?: Waits): Promise<RunState>;
  /** Plays the company's turns of a flow: those of the nodes that have a handler here. Replicas share them. */
  onTurn<Flow extends FlowTypes = AnyFlow>(flow_id: string, handlers: TurnHandlers<Flow>, options?: OnTurnOptions): RunningTurns;
  /** The turns that nobody has answered, for a back office, the oldest first, in pages. */
  turns(query?: TurnQuery, options?: Waits): Promise<{ items: TurnSummary[]; next_cursor: string | null }>;
  /** Takes the turn of a run for a person, who is named by `by`; null where there is none, or somebody has it. */
  take(flow_run_id: string, options?: Waits & { by?: string; hold_seconds?: number; hold?: string }): Promise<TakenTurn | null>;
  /** Answers a turn that was taken. What does not fit is `flows.turn_answer_invalid`, and the turn stays yours. */
  answer(
    turn: Pick<TakenTurn, 'flow_run_id' | 'hold'>,
    answers: Record<string, unknown>,
    options?: Waits & { private?: string[] },
  ): Promise<RunState>;
  handBack(turn: Pick<TakenTurn, 'flow_run_id' | 'hold'>, options?: Waits): Promise<void>;
  /** Offers a parked turn again. */
  resume(flow_run_id: string, options?: Waits): Promise<RunState>;
}

interface Parts {
  bus: Bus;
  service: string;
  log: Log;
}

/** Short, so that stopping does not wait long for a turn that does not come. */
const WAIT_SECONDS = 5;
const REPLY_MS = 20_000;
const HOLD_SECONDS = 300;
const BACKOFF = { firstMs: 250, longestMs: 5_000, jitter: 0.2 };
const OUTCOMES = ['answered', 'invalid', 'failed'] as const;

export function flowsOf(parts: Parts): Flows {
  const { bus, service } = parts;
  for (const outcome of OUTCOMES) countFromZero(METRICS.turnsHandled, { 'cds.service': service, 'cds.outcome': outcome });
  const within = (timeoutMs = REQUEST_TIMEOUT_MS) => ({ timeout: timeoutMs });
  /** What may come twice is asked again while nobody can be reached. */
  const askAgain = <T>(request: () => Promise<T>, withinMs = REQUEST_TIMEOUT_MS): Promise<T> =>
    retry(request, { backoff: BACKOFF, bound: { withinMs }, metric: METRICS.flowsRetried, isWorth: isUnavailable });

  return {
    start: (flow_id, { key, timeoutMs, ...options }) =>
      askAgain(() => bus.request(START_RUN, { service }, { flow_id, idempotency_key: key, ...options }, within(timeoutMs)), timeoutMs),
    cancel: (flow_run_id, { timeoutMs } = {}) => bus.request(CANCEL_RUN, { service }, { flow_run_id }, within(timeoutMs)),
    onTurn: (flow_id, handlers, options = {}) => startTurns({ ...parts, flow_id, handlers: handlers as TurnHandlers, options }),
    turns: (query = {}, { timeoutMs } = {}) => bus.request(LIST_TURNS, { service }, query, within(timeoutMs)),
    take: async (flow_run_id, { timeoutMs, ...options } = {}) =>
      (await bus.request(TAKE_TURN, { service }, { flow_run_id, ...options }, within(timeoutMs))).turn,
    answer: ({ flow_run_id, hold }, answers, { timeoutMs, ...options } = {}) =>
      askAgain(() => bus.request(ANSWER_TURN, { service }, { flow_run_id, hold, answers, ...options }, within(timeoutMs)), timeoutMs),
    handBack: async ({ flow_run_id, hold }, { timeoutMs } = {}) =>
      void (await bus.request(HAND_BACK_TURN, { service }, { flow_run_id, hold }, within(timeoutMs))),
    resume: (flow_run_id, { timeoutMs } = {}) => bus.request(RESUME_TURN, { service }, { flow_run_id }, within(timeoutMs)),
  };
}

const isUnavailable = (error: unknown): boolean => (error instanceof Refusal ? error.key === 'service.unavailable' : isTransient(error));

interface Turns extends Parts {
  flow_id: string;
  handlers: TurnHandlers;
  options: OnTurnOptions;
}

/** Asks for turns again and again, in as many rounds as turns are handled at once. */
function startTurns(turns: Turns): RunningTurns {
  const { service, log, options } = turns;
  const rounds: Repeated[] = Array.from({ length: options.atOnce ?? 1 }, () =>
    repeat(() => playNext(turns), {
      name: 'flow_turns',
      pauseMs: () => 0,
      backoff: BACKOFF,
      onFailure: (error) => log.warn('no turns can be taken now', { 'cds.service': service, error }),
    }),
  );
  return { stop: async () => void (await Promise.all(rounds.map((round) => round.stop()))) };
}

async function playNext(turns: Turns): Promise<void> {
  const { bus, service, flow_id, handlers, options } = turns;
  const wanted = { flow_id, nodes: Object.keys(handlers), wait_seconds: WAIT_SECONDS, hold_seconds: options.holdSeconds ?? HOLD_SECONDS };
  const { turn } = await bus.request(TAKE_TURN, { service }, wanted, { timeout: WAIT_SECONDS * 1000 + REPLY_MS });
  if (turn) await inSpan('play turn', { kind: SpanKind.INTERNAL, attributes: { 'cds.service': service } }, () => play(turns, turn));
}

async function play(turns: Turns, turn: TakenTurn): Promise<void> {
  const { bus, service, handlers, options, log } = turns;
  const { flow_run_id, hold } = turn;
  const counts = (outcome: (typeof OUTCOMES)[number]) => count(METRICS.turnsHandled, { 'cds.service': service, 'cds.outcome': outcome });
  try {
    const answers = await handlers[turn.node]!(turn);
    const answer = () => bus.request(ANSWER_TURN, { service }, { flow_run_id, hold, answers }, { timeout: REPLY_MS });
    await retry(answer, {
      backoff: BACKOFF,
      bound: { withinMs: REQUEST_TIMEOUT_MS },
      metric: METRICS.flowsRetried,
      isWorth: isUnavailable,
    });
    counts('answered');
  } catch (error) {
    const isMisfit = error instanceof Refusal && error.key === 'flows.turn_answer_invalid';
    counts(isMisfit ? 'invalid' : 'failed');
    log.error(isMisfit ? 'what a handler answered does not fit its step' : 'a handler of a turn failed', { 'cds.service': service, error });
    options.onError?.(error, turn);
    await bus.request(HAND_BACK_TURN, { service }, { flow_run_id, hold, failed: true }, { timeout: REPLY_MS });
  }
}
