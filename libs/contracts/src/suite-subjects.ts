import {
  OPEN_ACCOUNT_VALUES,
  OPEN_PAYLOAD,
  OPEN_VALUE,
  OPEN_VALUES,
  READ_SERVICE_KEY,
  UNWRAP_ACCOUNT_VALUE,
  UNWRAP_KEY,
} from './decryptor/subjects.ts';
import { AT, LATER, ONE_TIME_KEY, PUBLIC_KEY, SEALED } from './core/samples.ts';
import { PARKED, STATUS, type Subject } from './core/subjects.ts';
import { COMPARE, FEED, RESEND } from './feed-consumer/subjects.ts';
import { CALL_FORWARDER, GATEWAY_REPLICAS } from './gateway/subjects.ts';
import { EVENT } from './feed/examples.ts';
import { FeedEvent } from './feed/feed-event.ts';
import {
  ANSWER_TURN,
  ASK_PLUGIN,
  CANCEL_RUN,
  HAND_BACK_TURN,
  LIST_TURNS,
  RESUME_TURN,
  START_RUN,
  TAKE_TURN,
  TURN_EVENT,
} from './flows/subjects.ts';
import { CHALLENGE_COMPLETED, RAISE_CHALLENGE, READ_CHALLENGE } from './twofa/subjects.ts';
import type { z } from 'zod';

/** One subject of the suite's bus as its document shows it, beside the operations of the gateway, which come from the endpoints. */
export interface SuiteSubject {
  subject: Subject;
  summary: string;
  /** What to know before using the subject: when it comes, what can go wrong, and what to do then. */
  description: string;
  /** The app that answers the subject or publishes on it. */
  app: 'gateway' | 'feed-consumer' | 'decryptor' | 'twofa' | 'flows' | 'every app';
  /** Set while the app does not answer it yet. */
  planned?: true;
  /** The shape to show, when the subject's own shape also accepts what a newer platform may send. */
  shape?: z.ZodType;
  /** Examples, also checked by the subject's own shapes. */
  message: unknown;
  reply?: unknown;
}

const RUN_STATE = { flow_run_id: 'run_8e61', status: 'awaiting_customer', node: 'ask' };
const HOLD = '0b7c4f1e-2a3d-4c5b-8e9f-1a2b3c4d5e6f';
const TURN = {
  flow_run_id: 'run_8e61',
  flow_id: 'flow_52aa',
  flow_version: 3,
  node: 'price_check',
  title: 'Price',
  reference_date: '2026-03-02',
  hold: HOLD,
  held_until: LATER,
  attempts: 0,
  answers: { quantity: 3 },
  constants: { total: 37.5 },
  attested: {},
  private_slugs: [],
  fields: [{ slug: 'price', label: 'Price', kind: 'field', type: 'decimal', required: true, min: 1 }],
  party_keys: {},
};
const TURN_SUMMARY = {
  flow_run_id: 'run_8e61',
  flow_id: 'flow_52aa',
  node: 'price_check',
  state: 'open',
  since: AT,
  held_by: null,
  held_until: null,
  attempts: 0,
  overdue_at: LATER,
  error_key: null,
};
const WRAPPED_KEY = (JSON.parse(SEALED) as { k: string }).k;

/** Every subject of the suite, by the name it has in the document. */
export const SUITE_SUBJECTS: Readonly<Record<string, SuiteSubject>> = {
  gateway_replicas: {
    subject: GATEWAY_REPLICAS,
    app: 'gateway',
    summary: 'Which gateways there are',
    description: 'Gateways ask each other, to share the rate limits of the platform. Every replica answers; nobody else needs it.',
    message: {},
    reply: { replica: '0b7c4f1e-2a3d-4c5b-8e9f-1a2b3c4d5e6f' },
  },
  call_forwarder: {
    subject: CALL_FORWARDER,
    app: 'gateway',
    summary: 'Carry a sealed question to a plugin',
    description:
      'For the flows service, which has the pass and the reply key. The gateway sends the question to the forwarder as it is, without a ' +
      'token, and to hosts of the platform alone. What the forwarder refuses comes back by its own key.',
    message: { forwarder_url: 'https://plugins.platform.example', pass: 'eyJhbGciOi', plugin_id: 'plug_31c0', request: SEALED },
    reply: { reply: SEALED },
  },
  feed: {
    subject: FEED,
    app: 'feed-consumer',
    summary: 'An event of a customer',
    description:
      'Events of one person share a partition, p00 to p15, and keep their order in it. The stream FEED keeps them; an event may be ' +
      'delivered more than once, and the header Nats-Msg-Id is the same then. A newer platform may send kinds and members that are ' +
      'not listed here: let them pass.',
    shape: FeedEvent,
    message: EVENT,
  },
  resend: {
    subject: RESEND,
    app: 'feed-consumer',
    summary: 'Send the events of a time once more',
    description:
      'Oldest first, and at most so many in one call; ask again with `next` as `after` until it is null, and later where it is ' +
      'refused with `feed_consumer.spool_full`: as many wait to be published as may. Such events have the header codase-resent. ' +
      'What a newer event has replaced is left out. With `lost` they keep their ids and have no such header: what ' +
      'was handled is not handled again.',
    message: { from: AT, to: LATER },
    reply: { events: 12, next: null },
  },
  compare: {
    subject: COMPARE,
    app: 'feed-consumer',
    summary: 'Compare with the platform',
    description:
      'After a database of the platform came back older than it was: the connections that it lists are compared with what was seen of ' +
      'them, and what differs is published with the header codase-reconciled. Messages and outcomes that were lost cannot be found again.',
    message: {},
    reply: {},
  },
  open_value: {
    subject: OPEN_VALUE,
    app: 'decryptor',
    summary: 'Open one sealed value',
    description:
      'The clear text exists in the reply alone. Your service must be named in the decryptor as a caller. `decryptor.unreadable`: it ' +
      'was sealed to another key, or changed.',
    message: { value: SEALED, field_type: 'address' },
    reply: {
      plaintext: '{"street":"Ring 1","city":"Graz","country":"AT"}',
      attested: null,
      value: { street: 'Ring 1', city: 'Graz', country: 'AT' },
    },
  },
  open_values: {
    subject: OPEN_VALUES,
    app: 'decryptor',
    summary: 'Open many sealed values at once',
    description: 'The reply has them in the order of the request; one that does not open says so in its place.',
    message: { values: [{ value: SEALED }, { value: SEALED }] },
    reply: { items: [{ plaintext: 'ana@lind.example', attested: null }, { error_key: 'decryptor.unreadable' }] },
  },
  unwrap_key: {
    subject: UNWRAP_KEY,
    app: 'decryptor',
    summary: 'The own key of one value',
    description:
      'For a value that is longer than the bus carries: open the rest with the key that comes back, by AES-256-GCM. Whether it is the ' +
      'right one shows there alone.',
    message: { wrapped_key: WRAPPED_KEY },
    reply: { value_key: ONE_TIME_KEY },
  },
  open_account_values: {
    subject: OPEN_ACCOUNT_VALUES,
    app: 'decryptor',
    summary: 'Open values that are sealed to the account key',
    description:
      'As `open_values`, for the claims of a sign-in and all else that is sealed to the account key of the company. Your service needs ' +
      'the right `account` on the bus and at the decryptor. Name the `field_type` of each claim: nobody has checked a sealed value before.',
    message: { values: [{ value: SEALED, field_type: 'email' }] },
    reply: { items: [{ plaintext: 'ana@lind.example', attested: null, value: 'ana@lind.example' }] },
  },
  unwrap_account_value: {
    subject: UNWRAP_ACCOUNT_VALUE,
    app: 'decryptor',
    summary: 'The own key of one value that is sealed to the account key',
    description: 'As `unwrap_key`, with the right `account`.',
    message: { wrapped_key: WRAPPED_KEY },
    reply: { value_key: ONE_TIME_KEY },
  },
  read_service_key: {
    subject: READ_SERVICE_KEY,
    app: 'decryptor',
    summary: 'The public key of the service',
    description: 'What is meant for the company itself is sealed to it, as its own copy of an answer in a flow.',
    message: {},
    reply: { public_key: PUBLIC_KEY },
  },
  open_payload: {
    subject: OPEN_PAYLOAD,
    app: 'decryptor',
    summary: "Open the envelope around a webhook's body",
    description: 'The values inside stay sealed.',
    message: { envelope: SEALED },
    reply: { payload: JSON.stringify(EVENT) },
  },
  raise_challenge: {
    subject: RAISE_CHALLENGE,
    app: 'twofa',
    summary: 'Ask a person to approve a login',
    description:
      'Answered as soon as the challenge is raised; read its outcome next. Show `matching_digits` to whoever logs in when there are any. ' +
      'Choose a new `idempotency_key` for each login and repeat with the same one when no answer came: a repeat answers the same ' +
      'challenge, for ten minutes after its outcome too, and then `twofa.result_consumed`. Keys of two internal services never meet.',
    message: { share_code: 'K7M2QX', idempotency_key: 'login-2026-03-02-0001', context: 'Sign-in to Acme Shop from Berlin' },
    reply: { challenge_id: 'chal_c05b', status: 'pending', expires_at: LATER, matching_digits: '42' },
  },
  read_challenge: {
    subject: READ_CHALLENGE,
    app: 'twofa',
    summary: 'The state of a challenge, or its outcome as soon as it is there',
    description:
      'Whoever raised it may read it as often as it likes. With `wait_seconds` the reply comes with the outcome, or with `pending` when ' +
      'the time is over: ask again then, also when no reply came at all. Let the login in on `approved` and on nothing else.',
    message: { challenge_id: 'chal_c05b', wait_seconds: 20 },
    reply: { challenge_id: 'chal_c05b', status: 'approved', expires_at: LATER, completed_at: LATER },
  },
  challenge_completed: {
    subject: CHALLENGE_COMPLETED,
    app: 'twofa',
    summary: 'A challenge has its outcome',
    description:
      'For those who do not wait: one message for each challenge, on a subject of its own. Grant the login on `approved` alone. The ' +
      'stream CHALLENGES keeps it for a week; whoever missed it reads the challenge.',
    message: { challenge_id: 'chal_c05b', status: 'approved', completed_at: LATER },
  },
  start_run: {
    subject: START_RUN,
    app: 'flows',
    summary: 'Start a run of a flow',
    description:
      'Reads the published version, seals what its text and its documents need for every party, and starts the run. Choose a new ' +
      '`idempotency_key` for each run and repeat with the same one when no answer came: a repeat answers the same run. Keys of two ' +
      'internal services never meet. `flows.start_conflict`: the key was used to start something else.',
    message: { flow_id: 'flow_52aa', idempotency_key: 'order-4711', targets: { customer: { connection_id: 'conn_7b20' } } },
    reply: RUN_STATE,
  },
  cancel_run: {
    subject: CANCEL_RUN,
    app: 'flows',
    summary: 'Cancel an open run',
    description: 'Every open or waiting document of the run ends with it.',
    message: { flow_run_id: 'run_8e61' },
    reply: { ...RUN_STATE, status: 'cancelled', node: null },
  },
  take_turn: {
    subject: TAKE_TURN,
    app: 'flows',
    summary: 'Take a turn of the company',
    description:
      'Name the flow, and its nodes if you play some of them alone, or one run. The answers so far come in the clear and exist in the ' +
      'reply alone. The turn is held for you: answer it or hand it back with its `hold`. When the time is over it is offered to others.',
    message: { flow_id: 'flow_52aa', nodes: ['price_check'], wait_seconds: 20 },
    reply: { turn: TURN },
  },
  answer_turn: {
    subject: ANSWER_TURN,
    app: 'flows',
    summary: "The company's answers of its step",
    description:
      'In the clear: flows checks them, seals them for every party, chooses the edge and submits. `flows.turn_answer_invalid` ' +
      'names each member that does not fit, and nothing has left then. A repeat with the same `hold` answers where the run is.',
    message: { flow_run_id: 'run_8e61', hold: HOLD, answers: { price: 12.5 } },
    reply: RUN_STATE,
  },
  ask_plugin: {
    subject: ASK_PLUGIN,
    app: 'flows',
    summary: "Ask the plugin of a field of one's step",
    description:
      'With `block` the reply lists what can be picked there for `query`; without it, what follows from all picks and values. Blocks ' +
      'are filled in their order. Private values are never sent: an input that needs one is named in `flows.turn_answer_invalid`. What ' +
      'the forwarder refuses comes back by its own key, such as `plugin.not_responding`.',
    message: { flow_run_id: 'run_8e61', hold: HOLD, slug: 'place', block: 'country', query: 'aus' },
    reply: { options: [{ id: 'AT', label: 'Austria' }], more: false },
  },
  hand_back_turn: {
    subject: HAND_BACK_TURN,
    app: 'flows',
    summary: 'Give a turn back',
    description: 'Others may take it then. With `failed` it is offered again after a pause, and parked when it has failed ten times.',
    message: { flow_run_id: 'run_8e61', hold: HOLD },
    reply: {},
  },
  list_turns: {
    subject: LIST_TURNS,
    app: 'flows',
    summary: 'The turns of the company that are not answered',
    description: 'The oldest first, in pages, without anything of their answers. A back office shows these and takes one by its run.',
    message: { state: 'open' },
    reply: { items: [TURN_SUMMARY], next_cursor: null },
  },
  resume_turn: {
    subject: RESUME_TURN,
    app: 'flows',
    summary: 'Offer a parked turn again',
    description: 'When what was wrong is mended. The list of turns and the event `parked` say what that is.',
    message: { flow_run_id: 'run_8e61' },
    reply: { ...RUN_STATE, status: 'awaiting_company', node: 'price_check' },
  },
  turn_event: {
    subject: TURN_EVENT,
    app: 'flows',
    summary: 'A turn waits for too long, or was parked',
    description:
      'A `reminder` comes as often as the settings say, `overdue` once, and `parked` when the turn cannot go on by itself. One ' +
      'message for each, on a subject of its own. The stream TURNS keeps it for 30 days.',
    message: {
      flow_run_id: 'run_8e61',
      flow_id: 'flow_52aa',
      node: 'price_check',
      event: 'overdue',
      since: AT,
      at: LATER,
      error_key: null,
    },
  },
  status: {
    subject: STATUS,
    app: 'every app',
    summary: 'How a service is',
    description: 'For operators. `checks` says `ok` or what is wrong.',
    message: {},
    reply: { name: 'gateway', ready: true, checks: { nats: 'ok' }, started_at: AT },
  },
  parked: {
    subject: PARKED,
    app: 'every app',
    summary: 'A message that a consumer gave up on',
    description:
      'For operators. The message is as it was; the headers say why. One that is too long together with them is kept without its body, ' +
      'and `Codase-Bytes-Left-Out` says how long that was: `Codase-Stream` still has it at `Codase-Sequence`. The stream PARKED keeps it.',
    message: EVENT,
  },
};
