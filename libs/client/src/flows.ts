import {
  ANSWER_TURN,
  ASK_PLUGIN,
  CANCEL_RUN,
  connections,
  HAND_BACK_TURN,
  isFlowId,
  LIST_TURNS,
  Refusal,
  RESUME_TURN,
  runs,
  START_RUN,
  TAKE_TURN,
  type PluginToAsk,
  type RunState,
  type RunToStart,
  type TakenTurn,
  type TurnQuery,
  type TurnToTake,
  type TurnSummary,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { isTransient, repeat, type Repeated } from '@codase/runtime/resilience';
import { count, countFromZero, inSpan, SpanKind, type Log } from '@codase/runtime/telemetry';
import { askAgain, BACKOFF } from './ask-again.ts';
import { runCallback } from './callback.ts';
import type { FileTransfer } from './file-transfer.ts';
import type { FlowNames } from './flow-names.ts';
import { REQUEST_TIMEOUT_MS, type TransferOptions } from './gateway-http.ts';
import { METRICS } from './metrics.ts';
import { runDocumentsOf, type RunDocuments } from './run-documents.ts';
import type { ServedFile } from './served-file.ts';
import { hasFiles, uploadFiles } from './turn-files.ts';

/** For each step of a flow, the answers known there and those it gives. `codase flows types FLOW` writes these types. */
export type FlowTypes = Record<string, { answers: object; gives: object }>;
/** A flow without generated types. */
export type AnyFlow = Record<string, { answers: Record<string, unknown>; gives: Record<string, unknown> }>;

/** What is picked and typed in a plugin field so far, and the answers that the other questions of the step are going to get. */
export type PluginFilling = Partial<Pick<PluginToAsk, 'picks' | 'values' | 'answers' | 'private'>>;

/** The plugin of a field. Throws a `Refusal` with the forwarder's key when the plugin refuses or does not answer. */
export interface PluginField {
  /** Returns the options of a block; `more` says that the list was cut. Fill the blocks in their order. */
  options(block: string, query?: string, filling?: PluginFilling): Promise<{ options: { id: string; label: string }[]; more: boolean }>;
  /** Returns the outputs that follow from the picks and values. The plugin is asked once more when the step is answered. */
  outputs(filling?: PluginFilling): Promise<Record<string, string | number | boolean | null>>;
}

/** A turn as its handler gets it: the answers that were given before, in the clear, and the questions of this step. */
export type Turn<Answers extends object = Record<string, unknown>> = Omit<TakenTurn, 'answers'> & {
  answers: Answers;
  /** The plugins of the step's plugin fields, by slug. */
  plugins: Record<string, PluginField>;
  /** Opens a file that was answered in this run; of a file with several pages, such as a passport, the envelope with all of them. */
  file(slug: string, options?: Waits): Promise<ServedFile>;
};

/** One handler for each step that the service plays, by the key of its node. A handler returns the answers to the fields of the step. */
export type TurnHandlers<Flow extends FlowTypes = AnyFlow> = {
  [Node in keyof Flow]?: (turn: Turn<Flow[Node]['answers']>) => Promise<Flow[Node]['gives']> | Flow[Node]['gives'];
};

export interface OnTurnOptions {
  /** Turns that are handled at once in this process; 1 unless given. */
  atOnce?: number;
  /** How many seconds a handler may take. After that its turn is offered to others. 300 unless given. */
  holdSeconds?: number;
  /**
   * Called when a handler throws, or when its answers do not fit: then the error is the refusal `flows.turn_answer_invalid`, which names
   * each wrong member in `extras.faults`. The turn is offered again after a pause, and parked when that happens ten times. While something
   * cannot be reached, such as the gateway or your database, it is offered again and again, and never parked. The callback may be async.
   * It is called when the turn was handed back, and the next turn waits for it. Its failure is logged.
   */
  onError?(error: unknown, turn: Turn): unknown;
}

export interface StartRunOptions extends Omit<RunToStart, 'flow_id' | 'flow_name' | 'idempotency_key'> {
  /** Your own key of the run, new for each run: the same key means the same run. A service that crashed during the start gives it again. */
  key: string;
  timeoutMs?: number;
}

/** Turn handlers that are running. */
export interface RunningTurns {
  /** Takes no further turn, and settles when the turns in work are over. */
  stop(): Promise<void>;
}

/** The field of a flow that a customer answered with a file of the profile. */
export interface LinkedField {
  connection_id: string;
  /** The name or id of the flow. */
  flow: string;
  slug: string;
}

type Waits = { timeoutMs?: number };

/** Contract flows of the service: starts runs, plays the company's turns by services or by people, and signs the documents of runs. */
export interface Flows extends RunDocuments {
  /** Starts a run of a published flow, by its name or id, with connected customers. Refuses a name that several flows have. */
  start(flow: string, options: StartRunOptions): Promise<RunState>;
  cancel(flow_run_id: string, options?: Waits): Promise<RunState>;
  /** Plays the company's turns of a flow, by its name or id, at the nodes that have a handler here. Replicas share the turns. */
  onTurn<Flow extends FlowTypes = AnyFlow>(flow: string, handlers: TurnHandlers<Flow>, options?: OnTurnOptions): RunningTurns;
  /** Lists the company's turns, for a back office, the oldest first, in pages. */
  turns(query?: TurnQuery, options?: Waits): Promise<{ items: TurnSummary[]; next_cursor: string | null }>;
  /** Takes the turn of a run for the person whom `by` names. Returns null when there is no turn, or when somebody else has it. */
  take(flow_run_id: string, options?: Waits & { by?: string; hold_seconds?: number; hold?: string }): Promise<Turn | null>;
  /**
   * Answers a turn that was taken. Give a file as `{ bytes, name, type }`, and a plugin field as `{ picks, values }`. Answers that do not
   * fit are refused with `flows.turn_answer_invalid`, and the turn stays yours.
   */
  answer(
    turn: Pick<TakenTurn, 'flow_run_id' | 'hold'> & Partial<Pick<TakenTurn, 'fields' | 'party_keys'>>,
    answers: Record<string, unknown>,
    options?: Waits & { private?: string[] },
  ): Promise<RunState>;
  handBack(turn: Pick<TakenTurn, 'flow_run_id' | 'hold'>, options?: Waits): Promise<void>;
  /** Offers a parked turn again. */
  resume(flow_run_id: string, options?: Waits): Promise<RunState>;
  /**
   * Reads the file that a customer linked from the profile to a field of a flow, as it is now and whole in memory. `turn.file` reads the
   * copy that was made when the field was answered. Of a private file, this is the copy that was linked last. Refused with
   * `company_data.file_not_found` when there is none, or when its owner deleted it.
   */
  linkedFile(link: LinkedField, options?: TransferOptions): Promise<ServedFile>;
}

interface Parts {
  bus: Bus;
  service: string;
  log: Log;
  files: FileTransfer;
  names: FlowNames;
  /** Gets the turn handlers that are started, for the client to stop when it is closed. */
  started: RunningTurns[];
  /** Aborted when the client is closed: then nobody would stop further handlers. */
  closing: AbortSignal;
}

/** How long one request waits for a turn: short, so that `stop` does not wait long when no turn comes. */
const WAIT_SECONDS = 5;
const REPLY_MS = 20_000;
const HOLD_SECONDS = 300;
const OUTCOMES = ['answered', 'invalid', 'failed'] as const;

export function flowsOf(parts: Parts): Flows {
  const { bus, service } = parts;
  for (const outcome of OUTCOMES) countFromZero(METRICS.turnsHandled, { 'codase.service': service, 'codase.outcome': outcome });
  const within = (timeoutMs = REQUEST_TIMEOUT_MS) => ({ timeout: timeoutMs });

  return {
    ...runDocumentsOf(parts),
    start: (flow, { key, timeoutMs, ...options }) =>
      askAgain(
        () => bus.request(START_RUN, { service }, { ...named(flow), idempotency_key: key, ...options }, within(timeoutMs)),
        timeoutMs,
      ),
    cancel: (flow_run_id, { timeoutMs } = {}) => bus.request(CANCEL_RUN, { service }, { flow_run_id }, within(timeoutMs)),
    onTurn: (flow, handlers, options = {}) => {
      parts.closing.throwIfAborted();
      const running = startTurns({ ...parts, flow, handlers: handlers as TurnHandlers, options });
      parts.started.push(running);
      return running;
    },
    turns: (query = {}, { timeoutMs } = {}) => bus.request(LIST_TURNS, { service }, query, within(timeoutMs)),
    take: async (flow_run_id, options) => {
      const turn = await takeTurn(parts, flow_run_id, options);
      return turn && turnOf(parts, turn);
    },
    answer: async (turn, answers, { timeoutMs, ...options } = {}) => {
      const { flow_run_id, hold } = turn;
      const given = hasFiles(answers) ? await uploadFiles(parts.files, await fileTurn(parts, turn), answers) : answers;
      const answer = { flow_run_id, hold, answers: given, ...options };
      return askAgain(() => bus.request(ANSWER_TURN, { service }, answer, within(timeoutMs)), timeoutMs);
    },
    handBack: async ({ flow_run_id, hold }, { timeoutMs } = {}) =>
      void (await bus.request(HAND_BACK_TURN, { service }, { flow_run_id, hold }, within(timeoutMs))),
    resume: (flow_run_id, { timeoutMs } = {}) => bus.request(RESUME_TURN, { service }, { flow_run_id }, within(timeoutMs)),
    linkedFile: async ({ connection_id, flow, slug }, options = {}) => {
      const params = { connectionId: connection_id, flowId: await parts.names.idOf(flow), slug };
      return parts.files.readServed(connections.readLinkedFile, { params }, options);
    },
  };
}

async function takeTurn({ bus, service }: Parts, flow_run_id: string, options: Waits & Omit<TurnToTake, 'flow_run_id'> = {}) {
  const { timeoutMs = REQUEST_TIMEOUT_MS, ...wanted } = options;
  return (await bus.request(TAKE_TURN, { service }, { flow_run_id, ...wanted }, { timeout: timeoutMs })).turn;
}

/** Returns what the upload of files needs. For a caller that gives only the hold, reads the fields and the party keys of the turn. */
async function fileTurn(parts: Parts, { flow_run_id, hold, fields, party_keys }: Parameters<Flows['answer']>[0]) {
  if (fields && party_keys) return { flow_run_id, fields, party_keys };
  const turn = await takeTurn(parts, flow_run_id, { hold });
  if (!turn) throw new Refusal('flows.turn_not_held');
  return turn;
}

/** Adds to a turn the functions that its handler calls. */
function turnOf(parts: Parts, turn: TakenTurn): Turn {
  const { flow_run_id, fields } = turn;
  const plugins = fields.filter(({ kind }) => kind === 'plugin').map(({ slug }) => [slug, pluginOf(parts, turn, slug)] as const);
  return {
    ...turn,
    plugins: Object.fromEntries(plugins),
    file: (slug, options = {}) => parts.files.openServed(runs.readAnswerFile, { params: { runId: flow_run_id, slug } }, options),
  };
}

function pluginOf({ bus, service }: Parts, { flow_run_id, hold }: TakenTurn, slug: string): PluginField {
  const ask = (plugin: Pick<PluginToAsk, 'block' | 'query'>, filling: PluginFilling = {}) =>
    bus.request(ASK_PLUGIN, { service }, { flow_run_id, hold, slug, ...plugin, ...filling }, { timeout: REQUEST_TIMEOUT_MS });
  return {
    options: async (block, query = '', filling) => {
      const reply = await ask({ block, query }, filling);
      if (!('options' in reply)) throw new Refusal('plugin.not_responding');
      return reply;
    },
    outputs: async (filling) => {
      const reply = await ask({}, filling);
      if (!('outputs' in reply)) throw new Refusal('plugin.not_responding');
      return reply.outputs;
    },
  };
}

const named = (flow: string) => (isFlowId(flow) ? { flow_id: flow } : { flow_name: flow });

interface Turns extends Parts {
  flow: string;
  handlers: TurnHandlers;
  options: OnTurnOptions;
}

/** Asks for turns again and again, in as many parallel loops as turns may be handled at once. */
function startTurns(turns: Turns): RunningTurns {
  const failures = new FailureLog(turns);
  const rounds: Repeated[] = Array.from({ length: turns.options.atOnce ?? 1 }, () =>
    repeat(() => playNext(turns).then(() => failures.over()), {
      name: 'flow_turns',
      pauseMs: () => 0,
      backoff: BACKOFF,
      onFailure: (error) => failures.say(error),
    }),
  );
  return { stop: async () => void (await Promise.all(rounds.map((round) => round.stop()))) };
}

/** Logs why no turns can be taken, once for each reason, and logs when that is over. */
class FailureLog {
  private said: string | undefined;

  constructor(private readonly turns: Turns) {}

  say(error: unknown): void {
    const why = error instanceof Refusal ? error.key : String((error as Error).name);
    if (why === this.said) return;
    this.said = why;
    const { service, log } = this.turns;
    if (why === 'flows.not_found')
      log.warn('a flow that is played here is not published yet: its turns are taken as soon as it is', { 'codase.service': service });
    else log.warn('no turns can be taken now', { 'codase.service': service, error });
  }

  over(): void {
    if (this.said === undefined) return;
    this.said = undefined;
    this.turns.log.info('turns are taken now', { 'codase.service': this.turns.service });
  }
}

async function playNext(turns: Turns): Promise<void> {
  const { bus, service, flow, handlers, options } = turns;
  const hold_seconds = options.holdSeconds ?? HOLD_SECONDS;
  const wanted = { ...named(flow), nodes: Object.keys(handlers), wait_seconds: WAIT_SECONDS, hold_seconds };
  const { turn } = await bus.request(TAKE_TURN, { service }, wanted, { timeout: WAIT_SECONDS * 1000 + REPLY_MS });
  if (turn) await inSpan('play turn', { kind: SpanKind.INTERNAL, attributes: { 'codase.service': service } }, () => play(turns, turn));
}

async function play(turns: Turns, taken: TakenTurn): Promise<void> {
  const { bus, service, handlers, options, log, files } = turns;
  const { flow_run_id, hold } = taken;
  const turn = turnOf(turns, taken);
  const counts = (outcome: (typeof OUTCOMES)[number]) =>
    count(METRICS.turnsHandled, { 'codase.service': service, 'codase.outcome': outcome });
  try {
    const answers = await uploadFiles(files, taken, await handlers[turn.node]!(turn));
    await askAgain(() => bus.request(ANSWER_TURN, { service }, { flow_run_id, hold, answers }, { timeout: REQUEST_TIMEOUT_MS }));
    counts('answered');
  } catch (error) {
    const isMisfit = error instanceof Refusal && error.key === 'flows.turn_answer_invalid';
    counts(isMisfit ? 'invalid' : 'failed');
    log.error(isMisfit ? 'what a handler answered does not fit its step' : 'a handler of a turn failed', {
      'codase.service': service,
      error,
    });
    const key = error instanceof Refusal ? error.key : isTransient(error) ? 'service.unavailable' : undefined;
    const why = key === undefined ? {} : { error_key: key };
    try {
      await bus.request(HAND_BACK_TURN, { service }, { flow_run_id, hold, failed: true, ...why }, { timeout: REPLY_MS });
    } finally {
      await runCallback(turns, 'onError of a turn failed', () => options.onError?.(error, turn));
    }
  }
}
