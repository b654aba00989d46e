import {
  ANSWER_TURN,
  ASK_PLUGIN,
  LIST_TURNS,
  Refusal,
  START_RUN,
  TAKE_TURN,
  type FlowDefinition,
  type OpenedReply,
  type PluginToAsk,
  type TakenTurn,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { eventually, World } from '@codase/testing';
import { ORDER } from '../src/turns/order-flow.check.ts';
import { COMPANY, CUSTOMER, PlayedPlatform } from './played-platform.ts';

const SHOP = { service: 'shop' };
const PICKUP = {
  plugin_id: 'plug_1',
  field_type: 'pickup_point',
  inputs: { quantity: 'quantity' },
  snapshot: {
    plugin_name: 'Pickup points',
    host: 'plugin.example',
    label: 'Pickup point',
    blocks: [{ key: 'point', kind: 'search_select' as const, label: 'Point' }],
    inputs: [{ key: 'quantity', type: 'number' as const, label: 'Quantity', required: false }],
    outputs: [{ key: 'fee', type: 'number' as const, label: 'Fee' }],
  },
};
const [ask, check, ...others] = ORDER.nodes;
const [price] = check!.elements;
/** A flow in which the company's step has a plugin field and takes a file. */
const PICKUP_FLOW: FlowDefinition = {
  ...ORDER,
  nodes: [
    ask!,
    {
      ...check!,
      elements: [
        price!,
        { kind: 'plugin', slug: 'pickup', label: 'Pickup', required: true, plugin: PICKUP },
        { kind: 'field', slug: 'proof', label: 'Proof', type: 'pdf_document', required: false },
      ],
    },
    ...others,
  ],
};
const lit = (value: number | string) => ({
  type: 'lit' as const,
  value_type: typeof value === 'number' ? ('number' as const) : ('text' as const),
  value,
});
/** The first rule answers a quantity of 10. The second rule would pass the quantity 11, which is private in its test, to the plugin. */
const RULES = [
  {
    node: 'price_check',
    when: { field: 'quantity', op: 'eq', value: 10 },
    answers: { price: lit(7) },
    plugins: { pickup: { picks: { point: lit('Kiosk') } } },
  },
  {
    node: 'price_check',
    when: { field: 'quantity', op: 'eq', value: 11 },
    answers: { price: lit(7) },
    plugins: { pickup: { picks: { point: { type: 'ref', key: 'quantity' } } } },
  },
];

const offers = (question: { op: string }): OpenedReply =>
  question.op === 'options' ? { options: [{ id: 'west', label: 'Kiosk' }], more: false } : { outputs: { fee: 1.5 } };

describe("plugins and files in the company's turn @spec D2-4.5 @spec D2-4.2", () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  beforeAll(async () => {
    world = await World.open({ units: [] });
    platform = await PlayedPlatform.open(world);
    platform.definition = PICKUP_FLOW;
    shop = await world.busAs('shop-backend');
    await world.starts('flows', { SERVICES: JSON.stringify({ shop: { flows: { flow_order: { rules: RULES } } } }) });
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    platform.questions.splice(0);
    platform.passes = 0;
    platform.onQuestion = offers;
    platform.onPass = platform.onForward = () => undefined;
  });

  /** Starts a run that awaits the company, and sends its event. */
  const begins = async (quantity: string, private_slugs: string[] = []) => {
    const id = await platform.run({ quantity });
    platform.runs.get(id)!.private_slugs = private_slugs;
    await platform.tells(id);
    return id;
  };
  /** Takes a turn of the company that an event announced. */
  const taken = async (quantity = '3', private_slugs: string[] = []): Promise<TakenTurn> => {
    const flow_run_id = await begins(quantity, private_slugs);
    return eventually(async () => (await shop.request(TAKE_TURN, SHOP, { flow_run_id }, { timeout: 60_000 })).turn ?? undefined);
  };
  const asks = ({ flow_run_id, hold }: TakenTurn, more: Partial<PluginToAsk> = {}) =>
    shop.request(ASK_PLUGIN, SHOP, { flow_run_id, hold, slug: 'pickup', block: 'point', ...more }, { timeout: 60_000 });
  const answers = ({ flow_run_id, hold }: TakenTurn, given: Record<string, unknown>) =>
    shop.request(ANSWER_TURN, SHOP, { flow_run_id, hold, answers: given }, { timeout: 60_000 });
  const refuses = (...keys: (Refusal['key'] | undefined)[]) => {
    platform.onForward = () => {
      const key = keys.shift();
      if (key !== undefined) throw new Refusal(key as 'plugin.busy');
    };
  };

  it('are returned with their blocks and limits, and with the keys that files are sealed to', async () => {
    const turn = await taken();
    expect(turn.fields.slice(1)).toEqual([
      {
        slug: 'pickup',
        label: 'Pickup',
        kind: 'plugin',
        type: null,
        required: true,
        plugin: { plugin_name: 'Pickup points', blocks: PICKUP.snapshot.blocks, outputs: PICKUP.snapshot.outputs },
      },
      { slug: 'proof', label: 'Proof', kind: 'field', type: 'pdf_document', required: false, file: { most_bytes: 25 * 1024 * 1024 } },
    ]);
    expect(Object.keys(turn.party_keys).toSorted()).toEqual([COMPANY, CUSTOMER].toSorted());
  });

  it('are answered for every party, with converted inputs and one pass for all requests to the plugin', async () => {
    const turn = await taken();
    expect(await asks(turn, { query: 'K' })).toEqual({ options: [{ id: 'west', label: 'Kiosk' }], more: false });
    const files = { [COMPANY]: 'file_a', [CUSTOMER]: 'file_b' };
    await answers(turn, { price: 5, pickup: { picks: { point: 'Kiosk' } }, proof: { files } });

    expect(platform.questions).toMatchObject([
      { op: 'options', block: 'point', query: 'K', picks: {}, inputs: { quantity: 3 } },
      { op: 'options', query: 'Kiosk' },
      { op: 'outputs', picks: { point: 'west' }, inputs: { quantity: 3 } },
    ]);
    expect(new Set(platform.questions.map(({ reply_key }) => reply_key)).size).toBe(3);
    expect(platform.passes).toBe(1);
    const run = platform.runs.get(turn.flow_run_id)!;
    const proofs = run.answers.filter(({ slug }) => slug === 'proof').map(({ for_user_id, value }) => [for_user_id, value]);
    expect(Object.fromEntries(proofs)).toEqual({ [COMPANY]: '{"_enc_file":"file_a"}', [CUSTOMER]: '{"_enc_file":"file_b"}' });
    run.answers = run.answers.filter(({ slug }) => slug !== 'proof');
    expect(JSON.parse((await platform.opened(turn.flow_run_id, CUSTOMER))['pickup']!)).toMatchObject({
      blocks: [{ pick: { id: 'west', label: 'Kiosk' } }],
      outputs: [{ key: 'fee', value: 1.5 }],
    });
  });

  it('are sent to the plugin without any private value @spec D2-4.5.5', async () => {
    const turn = await taken('3', ['quantity']);
    await asks(turn);
    expect(platform.questions).toMatchObject([{ inputs: {} }]);
  });

  it('get a new pass once, and a request sealed to a changed plugin key once @spec D2-4.5.6', async () => {
    const turn = await taken();
    refuses('plugin.pass_invalid');
    expect(await asks(turn)).toMatchObject({ more: false });
    expect(platform.passes).toBe(2);
    refuses('plugin.not_in_pass', 'plugin.pass_invalid');
    await expect(asks(turn)).rejects.toMatchObject({ key: 'plugin.pass_invalid' });

    let changes = 1;
    platform.onForward = () => {
      if (changes-- > 0) throw new Refusal('plugin.key_changed', { public_key: turn.party_keys[CUSTOMER]! });
    };
    expect(await asks(turn)).toMatchObject({ more: false });
    changes = 2;
    await expect(asks(turn)).rejects.toMatchObject({ key: 'plugin.key_changed' });
  });

  it('are requested three times from a busy plugin, and every other refusal reaches the caller by its key @spec D2-7', async () => {
    const turn = await taken();
    refuses('plugin.busy', 'plugin.unavailable');
    expect(await asks(turn)).toMatchObject({ more: false });
    refuses('plugin.busy', 'plugin.busy', 'plugin.busy');
    await expect(asks(turn)).rejects.toMatchObject({ key: 'plugin.busy' });
    for (const key of ['plugin.rate_limited', 'plugin.not_responding', 'plugin.not_found', 'plugin.request_invalid'] as const) {
      refuses(key);
      await expect(answers(turn, { price: 5, pickup: { picks: { point: 'Kiosk' } } })).rejects.toMatchObject({ key });
    }
    platform.onQuestion = () => 'not a reply';
    await expect(asks(turn)).rejects.toMatchObject({ key: 'plugin.not_responding' });
  });

  it('are refused with a fault that names the field before anything is sent', async () => {
    const turn = await taken();
    const faultsOf = (given: Record<string, unknown>) =>
      answers(turn, given).then(
        () => [],
        (error: Refusal) => (error.extras as { faults: { fault: string }[] }).faults.map(({ fault }) => fault),
      );
    expect(await faultsOf({ price: 5 })).toEqual(['pickup is required']);
    expect(await faultsOf({ price: 5, pickup: 'Kiosk' })).toEqual(['pickup must be given as {picks, values}, by the keys of its blocks']);
    expect(await faultsOf({ price: 5, proof: { files: { [COMPANY]: 'file_a' } } })).toEqual([
      'proof must be a file: {files} with the copy of each party, as upload_answer_file stored it',
    ]);
    await expect(asks(turn, { slug: 'price' })).rejects.toMatchObject({ key: 'flows.turn_answer_invalid' });
    await expect(asks({ ...turn, hold: '0b7c4f1e-2a3d-4c5b-8e9f-1a2b3c4d5e6f' })).rejects.toMatchObject({ key: 'flows.turn_not_held' });
  });

  it('are answered by a rule, but left to a person when it needs a private value or the plugin does not respond', async () => {
    const id = await begins('10');
    await eventually(async () => (platform.runs.get(id)!.current_node === 'agree' ? true : undefined));
    expect(await platform.opened(id)).toMatchObject({ price: '7', pickup: expect.stringContaining('"Kiosk"') });

    platform.questions.splice(0);
    const kept = await begins('11', ['quantity']);
    refuses('plugin.not_responding');
    const away = await begins('10');
    for (const flow_run_id of [kept, away])
      await eventually(async () => (await shop.request(TAKE_TURN, SHOP, { flow_run_id }, { timeout: 60_000 })).turn ?? undefined);
    expect(platform.questions).toEqual([]);
  });

  it('do not block other turns while a plugin hangs, and are answered when it responds again', async () => {
    let goOn = () => {};
    const hanging = new Promise<void>((resolve) => (goOn = resolve));
    let requests = 0;
    platform.onForward = () => {
      requests += 1;
      return hanging;
    };
    const waiting: string[] = [];
    for (let nth = 0; nth < 10; nth++) waiting.push(await begins('10'));
    await eventually(async () => (requests > 0 ? true : undefined));

    const turn = await taken();
    const requestsBefore = requests;
    goOn();

    expect(turn.node).toBe('price_check');
    expect(requestsBefore).toBeLessThanOrEqual(4);
    await eventually(async () => {
      await world.passes({ seconds: 5 });
      return waiting.every((id) => platform.runs.get(id)!.current_node === 'agree') ? true : undefined;
    });
  });

  it('park the turn when a rule cannot call the plugin because a party deleted its account', async () => {
    platform.onPass = () => {
      throw new Refusal('account.counterparty_deleted');
    };
    const id = await begins('10');

    const parked = await eventually(async () => {
      const { items } = await shop.request(LIST_TURNS, SHOP, { state: 'parked' });
      return items.find(({ flow_run_id }) => flow_run_id === id);
    });
    expect(parked).toMatchObject({ node: 'price_check', error_key: 'account.counterparty_deleted' });
  });

  it('a flow can be started and played by its name when the name is unique', async () => {
    const targets = { customer: { connection_id: 'conn_ana' } };
    const start = (flow_name: string) => shop.request(START_RUN, SHOP, { flow_name, idempotency_key: `by ${flow_name}`, targets });
    expect(await start('Order')).toMatchObject({ node: 'ask' });
    expect((await taken()).flow_id).toBe('flow_order');
    expect(await shop.request(TAKE_TURN, SHOP, { flow_name: 'Order', nodes: ['agree'] })).toEqual({ turn: null });

    await expect(start('Nothing')).rejects.toMatchObject({ key: 'flows.not_found' });
    platform.published = [...platform.published, { id: 'flow_a', name: 'Twice', version: 1 }, { id: 'flow_b', name: 'Twice', version: 1 }];
    await expect(start('Twice')).rejects.toMatchObject({ key: 'flows.name_ambiguous' });
    await expect(shop.request(TAKE_TURN, SHOP, { flow_name: 'Twice' })).rejects.toMatchObject({ key: 'flows.name_ambiguous' });
    await expect(shop.request(START_RUN, SHOP, { idempotency_key: 'x', targets })).rejects.toMatchObject({ key: 'request.invalid' });
  });
});
