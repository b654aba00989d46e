import { setTimeout as pause } from 'node:timers/promises';
import {
  ANSWER_TURN,
  ASK_PLUGIN,
  HAND_BACK_TURN,
  LIST_TURNS,
  operation,
  Refusal,
  runs,
  START_RUN,
  TAKE_TURN,
  type TakenTurn,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { silentLog, type Facts } from '@codase/runtime/telemetry';
import { eventually, TestBus } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import type { Subscription } from '@nats-io/transport-node';
import { connect, type CodaseClient } from '../src/index.ts';

const HOLD = '0b7c4f1e-2a3d-4c5b-8e9f-1a2b3c4d5e6f';
const turnOf = (flow_run_id: string, node = 'price_check'): TakenTurn => ({
  flow_run_id,
  flow_id: 'flow_1',
  flow_version: 3,
  node,
  title: 'Price',
  reference_date: '2026-03-02',
  hold: HOLD,
  held_until: '2026-03-02T10:05:00.000Z',
  attempts: 0,
  answers: { quantity: 3 },
  constants: {},
  attested: {},
  private_slugs: [],
  fields: [],
  party_keys: {},
});

describe('flows of a service @spec D2-4.2', () => {
  let nats: TestBus;
  let codase: CodaseClient;
  let answering: Subscription[] = [];
  const waiting: TakenTurn[] = [];
  const requests: { what: string; message: Record<string, unknown> }[] = [];
  const of = (what: string) => requests.filter((one) => one.what === what).map(({ message }) => message);
  let onAnswer: (message: { answers: Record<string, unknown> }) => void = () => undefined;
  let onStart: () => void = () => undefined;
  let onTake: () => void = () => undefined;

  beforeAll(async () => {
    nats = await TestBus.open();
    const bus: Bus = await nats.connect();
    codase = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
    const state = { flow_run_id: 'run_1', status: 'awaiting_customer' as const, node: 'agree' };
    answering = [
      await bus.answer(TAKE_TURN, {}, (message) => {
        requests.push({ what: 'take', message });
        onTake();
        return { turn: waiting.shift() ?? null };
      }),
      await bus.answer(ANSWER_TURN, {}, (message) => {
        requests.push({ what: 'answer', message });
        onAnswer(message);
        return state;
      }),
      await bus.answer(HAND_BACK_TURN, {}, (message) => {
        requests.push({ what: 'hand back', message });
        return {};
      }),
      await bus.answer(ASK_PLUGIN, {}, (message) => {
        requests.push({ what: 'plugin', message });
        return message.block === undefined ? { outputs: { fee: 1.5 } } : { options: [{ id: 'west', label: 'Kiosk' }], more: false };
      }),
      await bus.answer(operation(runs.uploadAnswerFile), {}, ({ body }) => {
        requests.push({ what: 'upload', message: body as Record<string, unknown> });
        return { file: `file_${of('upload').length}` };
      }),
      await bus.answer(LIST_TURNS, {}, () => ({ items: [], next_cursor: null })),
      await bus.answer(START_RUN, {}, (message) => {
        requests.push({ what: 'start', message });
        onStart();
        return state;
      }),
    ];
  });
  beforeEach(() => {
    requests.splice(0);
    onAnswer = onStart = onTake = () => undefined;
  });
  afterAll(async () => {
    await Promise.all(answering.map((one) => one.drain()));
    await codase?.close();
    await nats?.close();
  });

  it('pass turns to the handlers of their nodes, and submit what they return', async () => {
    const got: unknown[] = [];
    waiting.push(turnOf('run_1'));
    const turns = codase.flows.onTurn<{ price_check: { answers: { quantity?: number }; gives: { price: number } } }>('flow_1', {
      price_check: ({ answers }) => {
        got.push(answers.quantity);
        return { price: 2 * (answers.quantity ?? 0) };
      },
    });
    await eventually(async () => (of('answer').length > 0 ? true : undefined));
    await turns.stop();

    expect(got).toEqual([3]);
    expect(of('take')[0]).toMatchObject({ flow_id: 'flow_1', nodes: ['price_check'] });
    expect(of('answer')).toEqual([{ flow_run_id: 'run_1', hold: HOLD, answers: { price: 6 }, private: [] }]);
    expect(of('hand back')).toEqual([]);
  });

  it('report a failed turn to onError, hand it back, and continue with the next one', async () => {
    const errors: unknown[] = [];
    const faults = [{ slug: 'price', fault: 'price must be at least 1' }];
    onAnswer = ({ answers }) => {
      if (answers['price'] === 0) throw new Refusal('flows.turn_answer_invalid', { faults });
    };
    waiting.push(turnOf('run_1'), turnOf('run_2'), turnOf('run_3'), turnOf('run_4'));
    const refused = Object.assign(new Error('no database'), { code: 'ECONNREFUSED' });
    const gives = [() => 0, () => 5];
    const turns = codase.flows.onTurn(
      'flow_1',
      {
        price_check: ({ flow_run_id }) => {
          if (flow_run_id === 'run_2') throw new Error('out of prices');
          if (flow_run_id === 'run_3') throw refused;
          return { price: gives.shift()!() };
        },
      },
      { onError: (error) => errors.push(error) },
    );
    await eventually(async () => (of('answer').length === 2 ? true : undefined));
    await turns.stop();

    expect(errors).toMatchObject([{ key: 'flows.turn_answer_invalid', extras: { faults } }, { message: 'out of prices' }, refused]);
    expect(of('hand back')).toEqual([
      { flow_run_id: 'run_1', hold: HOLD, failed: true, error_key: 'flows.turn_answer_invalid' },
      { flow_run_id: 'run_2', hold: HOLD, failed: true },
      { flow_run_id: 'run_3', hold: HOLD, failed: true, error_key: 'service.unavailable' },
    ]);
    expect(of('answer').at(-1)).toMatchObject({ flow_run_id: 'run_4', answers: { price: 5 } });
  });

  it('hand a turn back before they call onError, and continue when onError fails', async () => {
    const [handedBack, logged, noPager] = [[] as number[], [] as unknown[], new Error('no pager')];
    const log = { ...silentLog, error: (words: string, { error }: Facts = {}) => void logged.push([words, error]) };
    const other = await connect({ ...nats.credentials, service: 'shop', log });
    waiting.push(turnOf('run_1'), turnOf('run_2'), turnOf('run_3'));
    const outOfPrices = new Error('out of prices');
    const turns = other.flows.onTurn(
      'flow_1',
      {
        price_check: ({ flow_run_id }) => {
          if (flow_run_id === 'run_3') return { price: 5 };
          throw outOfPrices;
        },
      },
      {
        onError: (_, { flow_run_id }) => {
          handedBack.push(of('hand back').length);
          if (flow_run_id === 'run_1') throw noPager;
          return Promise.reject(noPager);
        },
      },
    );
    await eventually(async () => (of('answer').length > 0 ? true : undefined));
    await turns.stop();
    await other.close();

    expect(handedBack).toEqual([1, 2]);
    const lines = [
      ['a handler of a turn failed', outOfPrices],
      ['onError of a turn failed', noPager],
    ];
    expect(logged).toEqual([...lines, ...lines]);
    expect(of('answer')).toMatchObject([{ flow_run_id: 'run_3' }]);
  });

  it('wait for a flow that is not published yet, log it once, and continue when it is', async () => {
    const said: string[] = [];
    const log = { ...silentLog, warn: (words: string) => void said.push(words), info: (words: string) => void said.push(words) };
    const early = await connect({ ...nats.credentials, service: 'shop', log });
    let refusals = 0;
    onTake = () => {
      if (refusals++ < 2) throw new Refusal('flows.not_found');
    };
    waiting.push(turnOf('run_7'));
    const turns = early.flows.onTurn('Order', { price_check: () => ({ price: 1 }) });
    await eventually(async () => (of('answer').length > 0 ? true : undefined));
    await turns.stop();
    await early.close();

    expect(said).toEqual(['a flow that is played here is not published yet: its turns are taken as soon as it is', 'turns are taken now']);
    expect(of('answer')).toMatchObject([{ flow_run_id: 'run_7', answers: { price: 1 } }]);
  });

  it('answer the current turn before the client leaves the bus', async () => {
    const leaving = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
    waiting.push(turnOf('run_8'));
    let give: (answers: { price: number }) => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      const price_check = () => {
        resolve();
        return new Promise<{ price: number }>((answer) => (give = answer));
      };
      leaving.flows.onTurn('flow_1', { price_check });
    });
    await begun;
    const closed = leaving.close();
    await Promise.race([closed, pause(500)]); // a client that did not wait for the handler has left the bus by now
    give({ price: 4 });
    await closed;

    expect(of('answer')).toMatchObject([{ flow_run_id: 'run_8', answers: { price: 4 } }]);
    expect(of('hand back')).toEqual([]);
    expect(of('take')).toHaveLength(1);
  });

  it('take no turns with a closed client', async () => {
    const left = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
    await left.close();

    expect(() => left.flows.onTurn('flow_1', { price_check: () => ({ price: 4 }) })).toThrow('The client was closed');
    expect(of('take')).toEqual([]);
  });

  it('start a run with a key, and send the same key again when no answer came', async () => {
    let failures = 0;
    onStart = () => {
      if (failures++ === 0) throw new Refusal('service.unavailable');
    };
    const targets = { customer: { connection_id: 'conn_1' } };
    expect(await codase.flows.start('flow_1', { key: 'order-1', targets })).toMatchObject({ flow_run_id: 'run_1' });
    expect(of('start').map(({ idempotency_key }) => idempotency_key)).toEqual(['order-1', 'order-1']);

    onStart = () => {
      throw new Refusal('flows.not_published');
    };
    await expect(codase.flows.start('flow_1', { key: 'order-2', targets })).rejects.toMatchObject({ key: 'flows.not_published' });
    expect(of('start')).toHaveLength(3);
  });

  const [{ public_key }] = SERVICE_KEYS;
  /** A turn whose step takes a file and has a plugin field. */
  const pickupTurn = (most_bytes = 100): TakenTurn => ({
    ...turnOf('run_5'),
    fields: [
      { slug: 'proof', label: 'Proof', kind: 'field', type: 'pdf_document', required: true, file: { most_bytes } },
      { slug: 'pickup', label: 'Pickup', kind: 'plugin', type: null, required: true },
    ],
    party_keys: { usr_acme: public_key, usr_ana: public_key },
  });

  it("upload a handler's files sealed to each party, and give the handler the plugins of its step", async () => {
    waiting.push(pickupTurn());
    const turns = codase.flows.onTurn('flow_1', {
      price_check: async ({ plugins }) => {
        const { options } = await plugins['pickup']!.options('point', 'K', { answers: { price: 5 } });
        const { fee } = await plugins['pickup']!.outputs({ picks: { point: options[0]! } });
        const proof = { bytes: chunks('%PDF', ' fee ', String(fee)), name: 'proof.pdf', type: 'application/pdf' };
        return { proof, pickup: { picks: { point: 'Kiosk' } } };
      },
    });
    await eventually(async () => (of('answer').length > 0 ? true : undefined));
    await turns.stop();

    const turn = { flow_run_id: 'run_5', hold: HOLD, slug: 'pickup' };
    expect(of('plugin')).toMatchObject([
      { ...turn, block: 'point', query: 'K', answers: { price: 5 } },
      { ...turn, picks: { point: { id: 'west', label: 'Kiosk' } } },
    ]);
    expect(of('upload')).toMatchObject(['usr_acme', 'usr_ana'].map((for_user_id) => ({ slug: 'proof', for_user_id })));
    expect(JSON.stringify(of('upload'))).not.toContain(Buffer.from('%PDF fee').toString('base64').slice(0, 8));
    expect(of('answer')).toMatchObject([
      { answers: { proof: { files: { usr_acme: 'file_1', usr_ana: 'file_2' } }, pickup: { picks: { point: 'Kiosk' } } } },
    ]);
  });

  it('send no file that is too long, empty, or not requested', async () => {
    const file = (bytes: Uint8Array | AsyncIterable<Uint8Array>) => ({ bytes, name: 'a.pdf', type: 'application/pdf' });
    const answers = (given: Record<string, unknown>) => codase.flows.answer(pickupTurn(10), given);
    for (const bytes of [Buffer.alloc(11), chunks('123456', '123456')])
      await expect(answers({ proof: file(bytes) })).rejects.toMatchObject({ key: 'flows.answer_file_too_large' });
    await expect(answers({ proof: file(Buffer.alloc(0)) })).rejects.toMatchObject({ extras: { faults: [{ slug: 'proof' }] } });
    await expect(answers({ proof: file(Buffer.alloc(1)), price: file(Buffer.alloc(1)) })).rejects.toMatchObject({
      extras: { faults: [{ slug: 'price', fault: 'price takes no file, or is not asked now' }] },
    });
    expect([of('upload'), of('answer')]).toEqual([[], []]);

    waiting.push(pickupTurn(10));
    await codase.flows.answer({ flow_run_id: 'run_5', hold: HOLD }, { proof: file(Buffer.alloc(1)) });
    expect(of('take')).toMatchObject([{ flow_run_id: 'run_5', hold: HOLD }]); // the client did not have the keys of the turn
    expect(of('upload')).toHaveLength(2);
  });

  it('can be addressed by their name or their id', async () => {
    const targets = { customer: { connection_id: 'conn_1' } };
    for (const flow of ['flow_1', 'Framework agreement']) await codase.flows.start(flow, { key: flow, targets });
    expect(of('start')).toMatchObject([{ flow_id: 'flow_1' }, { flow_name: 'Framework agreement' }]);
  });

  it('let a program take and answer turns for a person', async () => {
    waiting.push(turnOf('run_9', 'close'));
    const turn = await codase.flows.take('run_9', { by: 'Eva', hold_seconds: 3600 });
    await codase.flows.answer(turn!, { order_number: 'A-1' }, { private: ['order_number'] });
    await codase.flows.handBack(turn!);

    expect(of('take')[0]).toMatchObject({ flow_run_id: 'run_9', by: 'Eva', hold_seconds: 3600 });
    expect(of('answer')[0]).toMatchObject({ answers: { order_number: 'A-1' }, private: ['order_number'] });
    expect(of('hand back')).toEqual([{ flow_run_id: 'run_9', hold: HOLD, failed: false }]);
    expect(await codase.flows.turns({ state: 'open' })).toEqual({ items: [], next_cursor: null });
  });
});

async function* chunks(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
