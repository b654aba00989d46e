import { z } from 'zod';
import { isErrorKey } from '../core/errors.ts';
import { expects, fails } from '../core/fails.ts';
import { PublicKey } from '../core/sealed.ts';
import { subject } from '../core/subjects.ts';
import { Day, Id, IdempotencyKey, Line, Slug, Timestamp } from '../core/text.ts';
import { PluginOption, PluginScalar } from '../plugins/description.ts';
import { PLUGIN_QUESTION } from '../plugins/limits.ts';
import { PluginSnapshot } from '../plugins/shapes.ts';
import { TURN_ANSWERS, TURN_HOLD_SECONDS, TURN_LIST, TURN_NODES, TURN_WAIT_SECONDS } from './limits.ts';
import { RunStatus } from './run-shapes.ts';

/** Where a run is: at a node, or over. */
const RunState = z.object({ flow_run_id: Id, status: RunStatus, node: z.string().nullable() });
export type RunState = z.infer<typeof RunState>;

const Target = z.strictObject({ connection_id: Id });

/** Starts a run with connected customers; a repeat with the same key answers the same run. @spec D2-4.1 */
export const START_RUN = subject('codase.flows.v1.{service}.start', {
  message: z
    .strictObject({
      flow_id: Id.optional(),
      flow_name: Line.optional(),
      idempotency_key: IdempotencyKey,
      target: Target.optional(),
      targets: z.record(Slug, Target).optional(),
      /** Only for parties without a type. */
      bindings: z.record(Slug, Id).default({}),
    })
    .refine(
      ({ target, targets }) => target === undefined || targets === undefined,
      fails('flows.bindings_invalid', 'give target or targets, and not both'),
    )
    .refine(({ flow_id, flow_name }) => (flow_id === undefined) !== (flow_name === undefined), expects('must name flow_id or flow_name')),
  reply: RunState,
  idempotent: 'costly', // files of customers may be staged for it
});
export type RunToStart = z.input<typeof START_RUN.message>;

/** Cancels an open run. @spec D2-4.4 */
export const CANCEL_RUN = subject('codase.flows.v1.{service}.cancel', { message: z.strictObject({ flow_run_id: Id }), reply: RunState });

/** The parts of a plugin's field, in the order in which they are filled. @spec D2-2.6 */
const TurnPlugin = PluginSnapshot.pick({ plugin_name: true, blocks: true, outputs: true });

/** One question of a step as it is now: bounds and default are already computed. A plugin's field has none. */
const TurnField = z.object({
  slug: z.string(),
  label: z.string(),
  kind: z.enum(['field', 'plugin']),
  type: z.string().nullable(),
  required: z.boolean(),
  options: z.array(z.string()).optional(),
  min: z.union([z.number(), z.string()]).optional(),
  max: z.union([z.number(), z.string()]).optional(),
  default: z.string().optional(),
  plugin: TurnPlugin.optional(),
  /** Set for a question that is answered by a file. */
  file: z.object({ most_bytes: z.int() }).optional(),
});
export type TurnField = z.infer<typeof TurnField>;

/** A turn of the company, with what is needed to answer its step, in the clear. It exists only in the reply. @spec D2-4.2 */
const TakenTurn = z.object({
  flow_run_id: Id,
  flow_id: Id,
  flow_version: z.int(),
  node: z.string(),
  title: z.string(),
  reference_date: Day,
  /** Shows that the turn is yours. Until `held_until` nobody else gets it. */
  hold: z.string(),
  held_until: Timestamp,
  /** How often the turn was taken and not answered. */
  attempts: z.int(),
  /** Answers by slug, and those of plugins by dotted key too: text, numbers, lists and objects by the types of the fields. */
  answers: z.record(z.string(), z.unknown()),
  constants: z.record(z.string(), z.unknown()),
  /** Whether each answer with an attestation is the attested value. */
  attested: z.record(z.string(), z.boolean()),
  private_slugs: z.array(z.string()),
  fields: z.array(TurnField),
  /** The key of each bound user, when the step asks for a file: the caller that answers seals a copy to each. @spec D2-4.2 */
  party_keys: z.record(Id, PublicKey).default({}), // an earlier release sends none
});
export type TakenTurn = z.infer<typeof TakenTurn>;

const hold_seconds = z.int().min(5).max(TURN_HOLD_SECONDS.most).default(TURN_HOLD_SECONDS.usual);

/**
 * Takes a turn of the company that nobody has: the oldest of a flow, at these nodes if any are named, or that of one run. The turn is held
 * for the caller, who answers it or hands it back. With `wait_seconds` the reply comes as soon as there is a turn, or is null when that
 * time is over. With the `hold` of a turn that the caller has, the turn is read again and held for longer.
 */
export const TAKE_TURN = subject('codase.flows.v1.{service}.take', {
  message: z.strictObject({
    flow_id: Id.optional(),
    flow_name: Line.optional(),
    nodes: z.array(Slug).min(1).max(TURN_NODES).optional(),
    flow_run_id: Id.optional(),
    hold: z.uuid().optional(),
    /** The person of the company who takes the turn. When absent, a service takes it. */
    by: Line.optional(),
    wait_seconds: z.number().min(0).max(TURN_WAIT_SECONDS).default(0),
    hold_seconds,
  }),
  reply: z.object({ turn: TakenTurn.nullable() }),
});
export type TurnToTake = z.input<typeof TAKE_TURN.message>;

/** An answer to a question that takes a file: the copy of each bound user, as `upload_answer_file` stored it. @spec D2-4.2 */
export const GivenFile = z.strictObject({ files: z.record(Id, Id) });
export type GivenFile = z.infer<typeof GivenFile>;

/** Answers by slug. A plugin's field is given as what is picked and typed there; the plugin says what follows from that. */
const GivenAnswers = z.record(z.string().max(64), z.unknown()).refine((answers) => Object.keys(answers).length <= TURN_ANSWERS);
const filling = {
  flow_run_id: Id,
  hold: z.uuid(),
  /** Slugs that were answered from a private source. @spec D2-2.3 */
  private: z.array(z.string().max(64)).max(TURN_ANSWERS).default([]),
};

/** Answers the company's step, in the clear: flows checks the answers, seals them for every party and goes on. @spec D2-4.2 */
export const ANSWER_TURN = subject('codase.flows.v1.{service}.answer', {
  message: z.strictObject({ ...filling, answers: GivenAnswers }),
  reply: RunState,
});

/** A pick in a block: an option as the plugin offered it, or the text of its label or id, which is looked up. @spec D2-4.5 */
const GivenPick = z.union([PluginOption.strict(), z.string().min(1).max(PLUGIN_QUESTION.chars)]);
const givenBlocks = {
  picks: z.record(Slug, GivenPick).default({}),
  values: z.record(Slug, PluginScalar).default({}),
};
/** An answer to a plugin's field. @spec D2-2.6 */
export const GivenPlugin = z.strictObject(givenBlocks);
export type GivenPlugin = z.input<typeof GivenPlugin>;

/**
 * Asks the plugin of a field of the taken step: what a block offers, or what follows from all picks and values. The plugin's inputs are
 * read from the answers so far and from those given here. Private values are never sent. @spec D2-4.5
 */
export const ASK_PLUGIN = subject('codase.flows.v1.{service}.plugin', {
  message: z.strictObject({
    ...filling,
    slug: Slug,
    /** The block whose options are wanted. When absent, the outputs are wanted. */
    block: Slug.optional(),
    query: z.string().max(PLUGIN_QUESTION.chars).default(''),
    ...givenBlocks,
    /** The answers that the other questions of the step are going to get. */
    answers: GivenAnswers.default({}),
  }),
  reply: z.union([
    z.object({ options: z.array(PluginOption), more: z.boolean() }),
    z.object({ outputs: z.record(z.string(), PluginScalar) }),
  ]),
});
export type PluginToAsk = z.input<typeof ASK_PLUGIN.message>;

/**
 * Gives a turn back, so that others may take it. A turn that failed is offered again later, and parked when it fails again and again. It is
 * not parked when its `error_key` says that something cannot be reached now.
 */
export const HAND_BACK_TURN = subject('codase.flows.v1.{service}.hand_back', {
  message: z.strictObject({
    flow_run_id: Id,
    hold: z.uuid(),
    failed: z.boolean().default(false),
    /** The key of the refusal, when the turn failed with one. A parked turn is listed with it. */
    error_key: z.string().max(100).refine(isErrorKey, expects('must be a key of the catalogue of errors')).optional(),
  }),
  reply: z.object({}),
  idempotent: 'at_once',
});

const TURN_STATES = ['open', 'taken', 'answered', 'parked'] as const;
const TurnSummary = z.object({
  flow_run_id: Id,
  flow_id: Id,
  node: z.string(),
  state: z.enum(TURN_STATES),
  since: Timestamp,
  held_by: z.string().nullable(),
  held_until: Timestamp.nullable(),
  attempts: z.int(),
  overdue_at: Timestamp.nullable(),
  /** Why the turn is parked, or why it failed last. */
  error_key: z.string().nullable(),
});
export type TurnSummary = z.infer<typeof TurnSummary>;

/** Lists the turns of the company, the oldest first, without anything of their answers. */
export const LIST_TURNS = subject('codase.flows.v1.{service}.turns', {
  message: z.strictObject({
    flow_id: Id.optional(),
    flow_run_id: Id.optional(),
    state: z.enum(TURN_STATES).optional(),
    limit: z.int().min(1).max(TURN_LIST).default(50),
    cursor: z.string().max(200).optional(),
  }),
  reply: z.object({ items: z.array(TurnSummary), next_cursor: z.string().nullable() }),
  idempotent: 'at_once',
});

export type TurnQuery = z.input<typeof LIST_TURNS.message>;

/** Offers a parked turn again, when the problem is fixed. */
export const RESUME_TURN = subject('codase.flows.v1.{service}.resume', {
  message: z.strictObject({ flow_run_id: Id }),
  reply: RunState,
});

const TURN_EVENTS = ['reminder', 'overdue', 'parked'] as const;

/** A turn of the company waits for too long, or was given up. Each event has a subject of its own, which holds one message at most. */
export const TURN_EVENT = subject('codase.turn.v1.{service}.{event}.{turn}', {
  stream: 'TURNS',
  message: z.strictObject({
    flow_run_id: Id,
    flow_id: Id,
    node: z.string(),
    event: z.enum(TURN_EVENTS),
    since: Timestamp,
    at: Timestamp,
    error_key: z.string().nullable(),
  }),
});
export type TurnEvent = z.infer<typeof TURN_EVENT.message>;
