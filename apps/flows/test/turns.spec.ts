import {
  ANSWER_TURN,
  CANCEL_RUN,
  HAND_BACK_TURN,
  LIST_TURNS,
  Refusal,
  RESUME_TURN,
  TAKE_TURN,
  TURN_EVENT,
  type TakenTurn,
} from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { many, sql } from '@codase/runtime/db';
import { eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { COMPANY, CUSTOMER, PlayedPlatform } from './played-platform.ts';

const SHOP = { service: 'shop' };
const SETTINGS = {
  shop: {
    flows: {
      Order: {
        remind_every_hours: 24,
        overdue_after_hours: 48,
        rules: [
          {
            node: 'close',
            when: { field: 'agrees', op: 'eq', value: 'yes' },
            answers: {
              order_number: {
                type: 'concat',
                parts: [
                  { type: 'lit', value_type: 'text', value: 'A' },
                  { type: 'ref', key: 'quantity' },
                ],
                sep: '-',
              },
            },
          },
        ],
      },
    },
  },
  crm: { flows: { Ticket: { remind_every_hours: 24 } } },
};

describe('turns of the company @spec D2-4.2', () => {
  let world: World;
  let platform: PlayedPlatform;
  let shop: Bus;
  let desk: Bus;
  let db: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: [], neighbours: [{ user: 'desk-backend', services: ['shop'] }] });
    platform = await PlayedPlatform.open(world);
    platform.onListFlows = (service) => {
      if (service === 'crm') throw new Refusal('service.unavailable');
    };
    [shop, desk] = [await world.busAs('shop-backend'), await world.busAs('desk-backend')];
    await world.starts('flows', { SERVICES: JSON.stringify(SETTINGS), POLL_SECONDS: '0.5' });
    db = await world.opensDatabase('flows');
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    platform.onRead = platform.onHasRead = platform.onAnswer = platform.onAnswered = () => undefined;
    platform.isUnreadable = false;
  });

  const take = async (message: object, by = shop) => (await by.request(TAKE_TURN, SHOP, message as never, { timeout: 60_000 })).turn;
  const takes = async (flow_run_id: string, more: object = {}, by = shop) =>
    eventually(async () => (await take({ flow_run_id, ...more }, by).catch(untilOffered)) ?? undefined);
  /** Ends the pause of a turn that could not be opened because the machine was slow. */
  const untilOffered = () => world.passes({ minutes: 1 }).then(() => null);
  const answer = ({ flow_run_id, hold }: Pick<TakenTurn, 'flow_run_id' | 'hold'>, answers: object, by = shop) =>
    by.request(ANSWER_TURN, SHOP, { flow_run_id, hold, answers } as never, { timeout: 60_000 });
  const list = async (query: object = {}) => (await shop.request(LIST_TURNS, SHOP, query as never)).items;
  const listed = async (id: string) => (await list({ limit: 200 })).find(({ flow_run_id }) => flow_run_id === id);
  const isListed = (id: string, state: string) => eventually(async () => ((await listed(id))?.state === state ? true : undefined));
  /** Starts a run that awaits the company, and sends its event. */
  const reported = async (answers?: Record<string, string>) => {
    const id = await platform.run(answers);
    await platform.tells(id);
    return id;
  };
  const event = async (kind: string, turn: string) => {
    const manager = await (await world.operator('suite')).manager();
    const subject = `codase.turn.v1.shop.${kind}.${turn}`;
    return eventually(() => manager.streams.getMessage(TURN_EVENT.stream!, { last_by_subj: subject }).then((one) => one?.json<object>()));
  };

  it('are taken with typed answers, constants and questions, and answered for every party', async () => {
    const id = await reported({ quantity: '12' });
    const turn = await takes(id);

    expect(turn).toMatchObject({ flow_id: 'flow_order', node: 'price_check', title: 'Price', answers: { quantity: 12 }, constants: {} });
    expect(turn.fields).toEqual([
      { slug: 'price', label: 'price', kind: 'field', type: 'decimal', required: true, min: 1 },
      { slug: 'discount', label: 'discount', kind: 'field', type: 'decimal', required: false },
      { slug: 'valid_from', label: 'valid_from', kind: 'field', type: 'date', required: true, default: '2026-03-02' },
    ]);
    expect(await answer(turn, { price: 61.57 })).toEqual({ flow_run_id: id, status: 'awaiting_customer', node: 'agree' });

    const answers = { quantity: '12', price: '61.57', valid_from: '2026-03-02' };
    expect(await platform.opened(id, COMPANY)).toEqual(answers);
    expect(await platform.opened(id, CUSTOMER)).toEqual(answers);
    expect(await listed(id)).toBeUndefined();
  });

  it('are refused with a fault for each invalid answer, before anything is sent @spec D2-7', async () => {
    const id = await reported();
    const turn = await takes(id);
    const before = platform.submits;
    const faultsOf = (answers: object) =>
      answer(turn, answers).then(
        () => [],
        (error: Refusal) => (error.extras as { faults: { slug: string; fault: string }[] }).faults.map(({ fault }) => fault),
      );

    expect(await faultsOf({})).toEqual(['price is required']);
    expect(await faultsOf({ price: 0.5, valid_from: 'soon' })).toEqual([
      'valid_from must be a calendar date, written YYYY-MM-DD',
      'price must be at least 1',
    ]);
    expect(await faultsOf({ price: 5, discount: 1 })).toEqual(['discount is not asked with these answers']);
    expect(await faultsOf({ prize: 5 })).toEqual(['prize is no question of the step price_check']);
    expect(await faultsOf({ price: 900 })).toEqual(['no edge of the step matches with these answers']);
    expect(platform.submits).toBe(before);
    expect(await answer(turn, { price: 5 })).toMatchObject({ status: 'awaiting_customer' });
  });

  it('are given to one waiting taker, and are locked for every other user', async () => {
    const waiting = take({ flow_id: 'flow_order', nodes: ['price_check'], wait_seconds: 20 });
    const id = await reported();
    const turn = await waiting;

    expect(turn).toMatchObject({ flow_run_id: id });
    expect(await take({ flow_run_id: id }, desk)).toBeNull();
    await expect(answer({ flow_run_id: id, hold: turn!.hold }, { price: 5 }, desk)).rejects.toMatchObject({ key: 'flows.turn_not_held' });
    expect(await take({ flow_run_id: id, hold: turn!.hold })).toMatchObject({ hold: turn!.hold });
    expect(await take({ flow_id: 'flow_other' })).toBeNull();
    await answer(turn!, { price: 5 });
  });

  it('stay with their holder when they cannot be read again', async () => {
    const id = await reported();
    const turn = await takes(id, { by: 'Eva', hold_seconds: 3600 }, desk);
    const readAgain = () => take({ flow_run_id: id, hold: turn.hold, hold_seconds: 3600 }, desk);
    await readAgain(); // from now on the run is read at the platform

    for (const key of ['service.unavailable', 'request.not_found'] as const) {
      platform.onRead = () => {
        throw new Refusal(key);
      };
      await expect(readAgain()).rejects.toMatchObject({ key });
      expect(await listed(id)).toMatchObject({ state: 'taken', held_by: 'Eva', attempts: 0 });
    }

    platform.onRead = () => undefined;
    expect(await readAgain()).toMatchObject({ hold: turn.hold });
    expect(await answer(turn, { price: 5 }, desk)).toMatchObject({ status: 'awaiting_customer' });
  });

  it('are not read again when they are taken soon after a read, nor for the event of their own answer', async () => {
    const id = await platform.run({ quantity: '7' }); // found by the poll, because an event that comes later would cause another read
    await isListed(id, 'open');
    const ofRun = () => many(db, sql`select look_at, heard from run where flow_run_id = ${id}`);
    let reads = 0;
    platform.onRead = () => void reads++;

    const turn = await takes(id);
    expect([turn.answers, reads]).toEqual([{ quantity: 7 }, 0]);
    await shop.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold: turn.hold });
    const again = await takes(id);
    expect(reads).toBe(1);

    await answer(again, { price: 5 });
    // A poll that listed the run before its answer may note the run once more: a later poll shows that this is over.
    await isListed(await platform.run({ quantity: '7' }), 'open');
    const isScheduled = sql`select from run where flow_run_id = ${id} and look_at > now() + interval '1 hour'`;
    await eventually(async () => (await many(db, isScheduled)).length === 1 || undefined);
    const before = await ofRun();
    await platform.tells(id);
    await takes(await reported()); // by now the earlier event has been handled
    expect(await ofRun()).toEqual(before);
  });

  it('are found by the poll when their event was lost', async () => {
    const id = await platform.run();

    await answer(await takes(id), { price: 5 });
    expect(platform.runs.get(id)).toMatchObject({ status: 'awaiting_customer' });
  });

  it('are answered by a matching rule without any service', async () => {
    const id = await reported();
    await answer(await takes(id), { price: 5 });
    await platform.customerAnswers(id, { agrees: 'yes' }, 'close');

    await eventually(async () => (platform.runs.get(id)!.status === 'completed' ? true : undefined));
    expect(await platform.opened(id, CUSTOMER)).toMatchObject({ order_number: 'A-3' });
  });

  it('are parked at once when a rule cannot decrypt their values', async () => {
    const id = await reported();
    await answer(await takes(id), { price: 5 });
    platform.isUnreadable = true;

    await platform.customerAnswers(id, { agrees: 'yes' }, 'close');
    await isListed(id, 'parked');
    expect(await listed(id)).toMatchObject({ node: 'close', error_key: 'decryptor.unreadable' });
  });

  it('wait for a person when no rule matches, and can be listed, taken and handed back', async () => {
    const id = await reported();
    await answer(await takes(id), { price: 5 });
    await platform.customerAnswers(id, { agrees: 'no' }, 'close');
    await isListed(id, 'open');

    const turn = await takes(id, { by: 'Eva', hold_seconds: 3600 }, desk);
    expect(await listed(id)).toMatchObject({ state: 'taken', held_by: 'Eva', node: 'close', attempts: 0 });
    await desk.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold: turn.hold });
    expect(await listed(id)).toMatchObject({ state: 'open', held_by: null });
    await expect(answer(turn, { order_number: 'B-1' }, desk)).rejects.toMatchObject({ key: 'flows.turn_not_held' });

    expect(await answer(await takes(id, { by: 'Eva' }, desk), { order_number: 'B-1' }, desk)).toMatchObject({
      status: 'completed',
      node: null,
    });
  });

  it('stay with their holder when a late read returns an older state of the run', async () => {
    const id = await platform.run();
    const before = await takes(id);
    const reads: (() => void)[] = [];
    platform.onHasRead = (read) => (read === id ? new Promise((answers) => void reads.push(answers)) : undefined);
    await platform.tells(id);
    const late = await eventually(async () => reads.shift());
    platform.onHasRead = () => undefined;
    await answer(before, { price: 5 });
    await platform.customerAnswers(id, { agrees: 'no' }, 'close');
    const turn = await takes(id, { by: 'Eva', hold_seconds: 3600 }, desk);

    let isReadAgain = false;
    platform.onHasRead = (read) => void (isReadAgain ||= read === id);
    late();
    await platform.tells(id); // causes another read in any case: on a slow machine the late read may have timed out
    await eventually(async () => isReadAgain || undefined);
    expect(await listed(id)).toMatchObject({ state: 'taken', held_by: 'Eva', node: 'close' });
    expect(await answer(turn, { order_number: 'B-1' }, desk)).toMatchObject({ status: 'completed' });
  });

  it("are submitted once, even when the platform's answer was lost", async () => {
    const id = await reported();
    const turn = await takes(id);
    const before = platform.submits;
    platform.onAnswered = () => {
      throw new Refusal('service.unavailable');
    };
    expect(await answer(turn, { price: 5 })).toMatchObject({ flow_run_id: id });
    platform.onAnswered = () => undefined;
    expect(await answer(turn, { price: 5 })).toMatchObject({ flow_run_id: id });

    await eventually(async () => {
      await world.passes({ seconds: 3 });
      return (await listed(id)) === undefined ? true : undefined;
    });
    expect(platform.submits).toBeGreaterThan(before + 1);
    expect((await platform.opened(id)).price).toBe('5');
    expect(platform.runs.get(id)!.answers.filter(({ slug }) => slug === 'price')).toHaveLength(2);
  });

  it('let younger turns go first while they cannot be read', async () => {
    const begins = async () => {
      const id = await platform.run({ quantity: '3', agrees: 'no' }, 'close');
      await platform.tells(id);
      const { hold } = await takes(id);
      await shop.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold }); // so the next taker has the run read
      await world.passes({ seconds: 1 });
      return id;
    };
    const [older, younger] = [await begins(), await begins()];
    platform.onHasRead = (id) => {
      if (id === older) throw new Refusal('service.unavailable');
    };
    const next = () => take({ nodes: ['close'] });

    await expect(next()).rejects.toMatchObject({ key: 'service.unavailable' });
    expect(await next()).toMatchObject({ flow_run_id: younger });
    expect(await listed(older)).toMatchObject({ state: 'open', attempts: 0, error_key: 'service.unavailable' });

    platform.onHasRead = () => undefined;
    await world.passes({ minutes: 1 });
    expect(await next()).toMatchObject({ flow_run_id: older });
  });

  it('are each played by one of many simultaneous takers', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => reported()));
    const play = async (by: Bus): Promise<string[]> => {
      const turn = await take({ flow_id: 'flow_order', nodes: ['price_check'], wait_seconds: 2 }, by);
      if (!turn) return [];
      await answer(turn, { price: 5 }, by);
      return [turn.flow_run_id, ...(await play(by))];
    };
    const played = (await Promise.all([shop, desk, shop, desk].map(play))).flat();

    expect(played.filter((id) => ids.includes(id)).toSorted()).toEqual(ids.toSorted());
  });

  it('are parked with an event when they cannot be decrypted, and continue when they are resumed', async () => {
    const id = await reported();
    await isListed(id, 'open');
    platform.isUnreadable = true;
    expect(await take({ flow_run_id: id })).toBeNull();
    expect(await listed(id)).toMatchObject({ state: 'parked', error_key: 'decryptor.unreadable' });
    const manager = await (await world.operator('suite')).manager();
    await eventually(async () => {
      const { state } = await manager.streams.info(TURN_EVENT.stream!, { subjects_filter: `codase.turn.v1.shop.parked.*` });
      return Object.keys(state.subjects ?? {}).some((subject) => subject.includes(`.${id}-`)) ? true : undefined;
    });

    platform.isUnreadable = false;
    await shop.request(RESUME_TURN, SHOP, { flow_run_id: id });
    expect(await answer(await takes(id), { price: 5 })).toMatchObject({ status: 'awaiting_customer' });
    await expect(shop.request(RESUME_TURN, SHOP, { flow_run_id: id })).rejects.toMatchObject({ key: 'flows.turn_not_found' });
  });

  it("stay open while the service's client secret is invalid", async () => {
    const id = await reported();
    const { hold } = await takes(id);
    await shop.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold });
    let reads = 0;
    platform.onRead = () => {
      reads++;
      throw new Refusal('oauth.invalid_client');
    };

    await expect(take({ flow_run_id: id })).rejects.toMatchObject({ key: 'oauth.invalid_client' });
    expect(await listed(id)).toMatchObject({ state: 'open', attempts: 0 });
    const taken = reads;
    await platform.tells(id);
    await eventually(async () => {
      await world.passes({ seconds: 3 });
      return reads > taken + 1 || undefined; // the run was looked at, and that is recorded
    });
    expect(await listed(id)).toMatchObject({ state: 'open', error_key: 'oauth.invalid_client' });

    platform.onRead = () => undefined;
    expect(await answer(await takes(id), { price: 5 })).toMatchObject({ status: 'awaiting_customer' });
  });

  it('are offered again after a pause when reading them was refused', async () => {
    const id = await reported();
    const { hold } = await takes(id);
    await shop.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold });
    platform.onRead = () => {
      throw new Refusal('request.not_found');
    };

    expect(await take({ flow_run_id: id })).toBeNull();
    expect(await listed(id)).toMatchObject({ state: 'open', attempts: 1, error_key: 'request.not_found' });
    platform.onRead = () => undefined;
    await world.passes({ seconds: 3 });
    expect(await answer(await takes(id), { price: 5 })).toMatchObject({ status: 'awaiting_customer' });
  });

  it("are parked with the platform's reason when it refuses the answer", async () => {
    const id = await reported();
    const turn = await takes(id);
    platform.onAnswer = () => {
      throw new Refusal('account.counterparty_deleted');
    };
    await answer(turn, { price: 5 });
    expect(await listed(id)).toMatchObject({ state: 'parked', error_key: 'account.counterparty_deleted' });
  });

  it('are offered again after pauses when their handler fails, and parked after the tenth failure', async () => {
    const id = await reported();
    for (let nth = 0; nth < 10; nth++) {
      const turn = await eventually(async () => {
        await world.passes({ minutes: 6 });
        return (await take({ flow_run_id: id })) ?? undefined;
      });
      expect(turn.attempts).toBe(nth);
      const why = nth === 4 ? { error_key: 'plugin.not_responding' as const } : {};
      await shop.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold: turn.hold, failed: true, ...why });
    }
    expect(await listed(id)).toMatchObject({ state: 'parked', error_key: 'plugin.not_responding' });
  });

  it('are offered again after pauses, and never parked, when their handler reports an unavailable service', async () => {
    const id = await reported();
    for (let nth = 0; nth <= 10; nth++) {
      const { hold } = await eventually(async () => {
        await world.passes({ minutes: 1 });
        return (await take({ flow_run_id: id })) ?? undefined;
      });
      await shop.request(HAND_BACK_TURN, SHOP, { flow_run_id: id, hold, failed: true, error_key: 'service.unavailable' });
    }

    expect(await listed(id)).toMatchObject({ state: 'open', attempts: 0, error_key: 'service.unavailable' });
  });

  it('are no longer listed when their run was cancelled', async () => {
    const id = await reported();
    const turn = await takes(id);
    expect(await shop.request(CANCEL_RUN, SHOP, { flow_run_id: id })).toMatchObject({ status: 'cancelled', node: null });
    expect(await listed(id)).toBeUndefined();
    expect(await answer(turn, { price: 5 })).toMatchObject({ status: 'cancelled' });
  });

  it('get each reminder and the overdue event once, even while another service cannot list its flows', async () => {
    const id = await reported();
    await isListed(id, 'open');
    await world.passes({ hours: 25 });
    expect(await event('reminder', `${id}-price_check-1`)).toMatchObject({ flow_run_id: id, event: 'reminder' });
    await world.passes({ hours: 24 });
    expect(await event('reminder', `${id}-price_check-2`)).toMatchObject({ flow_run_id: id });
    expect(await event('overdue', `${id}-price_check`)).toMatchObject({ flow_run_id: id, node: 'price_check', event: 'overdue' });
    expect(await listed(id)).toMatchObject({ state: 'open', overdue_at: null });
  });

  it('leave no answer in the database', async () => {
    const rows = [...(await many(db, sql`select * from run`)), ...(await many(db, sql`select * from turn_event`))];
    expect(rows.length).toBeGreaterThan(10);
    // No time of day has this price in its seconds.
    for (const word of ['61.57', 'A-3', 'B-1', '"quantity":']) expect(JSON.stringify(rows)).not.toContain(word);
  });
});
