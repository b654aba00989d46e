import { setTimeout as pause } from 'node:timers/promises';
import { serviceClient, webhooks, type FeedEvent } from '@codase/contracts';
import { execute, many, sql } from '@codase/runtime/db';
import { comesTrue, WebhookReceiver, type Company } from '@codase/testing';
import { CHANNEL_LOCK, emit } from '../../../src/services/feed/index.ts';
import { writeIfHome } from '../../../src/foundation/regions/index.ts';
import { until } from '../../support/platform-internals.ts';
import { runsOf } from '../feed/feed-world.ts';
import { MovingWorld } from '../../support/moving-world.ts';

type RegionName = 'eu' | 'us';

describe('events of a company that moves during delivery @gap D1-5.6 @spec D1-6.3', () => {
  let moving: MovingWorld;
  const receivers: WebhookReceiver[] = [];
  beforeAll(async () => {
    moving = await MovingWorld.open({ units: ['front-door', 'region-eu', 'region-us', 'delivery'] });
  });
  afterAll(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await moving?.close();
  });

  const region = (name: RegionName) => moving.internals.database(`region_${name}`);

  /** A company in eu with a service and some webhooks, each with an endpoint of its own. */
  const shop = async (hooks: number) => {
    const company = await moving.world.signsUp({ type: 'company', region: 'eu', level: 'basic' });
    const { id: service_id } = await moving.creates(company, 'Shop');
    const endpoints: { receiver: WebhookReceiver; webhook_id: string }[] = [];
    for (let n = 0; n < hooks; n++) {
      const receiver = await WebhookReceiver.open();
      receivers.push(receiver);
      const { id } = await company.asks(webhooks.createWebhook, { params: { id: service_id }, body: { url: receiver.url } });
      endpoints.push({ receiver, webhook_id: id });
    }
    return { company, service_id, endpoints };
  };

  /** Emits events in this region if the company is at home here. Returns whether it is. */
  const happensIn = async (name: RegionName, company: Company, service_id: string, runs: readonly number[]): Promise<boolean> => {
    const events = runs.map((run) => ({
      company_user_id: company.user_id,
      service_id,
      event: {
        event: 'flow_run_turn',
        person_user_id: 'usr_demo_ana',
        share_code: 'ANA',
        at: new Date().toISOString(),
        flow_run_id: `run_${run}`,
        awaiting_party: 'company',
      } as const,
    }));
    return (await writeIfHome(region(name), company.user_id, (tx) => emit(tx, events).then(() => true))) ?? false;
  };

  const delivered = ({ deliveries }: WebhookReceiver) =>
    runsOf(deliveries.map(({ body }) => JSON.parse(body.toString('utf8')) as FeedEvent));
  const queuedFor = (name: RegionName, webhook_id: string) =>
    many(region(name), sql`select id from feed_event where channel = ${webhook_id}`);

  const beginsToLeave = async (company: Company) => {
    await moving.moves(company, 'us');
    await until(async () => (await moving.internals.homesOf(company.user_id)).eu !== 'here', 'the company leaves');
  };
  /** Waits until the company has arrived and its new region has nothing left to deliver to the webhook. */
  const hasMoved = async (company: Company, webhook_id: string) => {
    await moving.arrives(company);
    await comesTrue(async () => expect(await queuedFor('us', webhook_id)).toEqual([]));
  };

  it('are delivered once when the endpoint answers after the move has begun', async () => {
    const { company, service_id, endpoints } = await shop(1);
    const [{ receiver, webhook_id }] = endpoints as [(typeof endpoints)[number]];
    let answers = () => {};
    receiver.answerNext(() => ({ status: 200, after: new Promise<void>((resolve) => (answers = resolve)) }));
    await happensIn('eu', company, service_id, [0, 1, 2]);
    await receiver.received(1);

    await beginsToLeave(company);
    answers();
    await hasMoved(company, webhook_id);

    expect(delivered(receiver)).toEqual(['run_0', 'run_1', 'run_2']);
  });

  it('are delivered once when one was acknowledged but its row could not be deleted before the move', async () => {
    const { company, service_id, endpoints } = await shop(1);
    const [{ receiver, webhook_id }] = endpoints as [(typeof endpoints)[number]];
    const letGo = await moving.internals.hold('region_eu', sql`select pg_advisory_xact_lock(${CHANNEL_LOCK}, hashtext(${webhook_id}))`);
    await happensIn('eu', company, service_id, [0, 1, 2]);
    await receiver.received(1);
    // By then the delivery has tried to delete the row at least once. Its next attempt comes half a second later.
    await pause(300);

    await beginsToLeave(company);
    await letGo();
    await hasMoved(company, webhook_id);

    expect(delivered(receiver)).toEqual(['run_0', 'run_1', 'run_2']);
  });

  it('are delivered once when one of them is the probe of a bad endpoint @spec D1-3.2', async () => {
    const { company, service_id, endpoints } = await shop(1);
    const [{ receiver, webhook_id }] = endpoints as [(typeof endpoints)[number]];
    let answers = () => {};
    await execute(
      region('eu'),
      sql`update webhook set health = 'bad', next_probe_at = now() - interval '1 day' where webhook_id = ${webhook_id}`,
    );
    receiver.answerNext(() => ({ status: 200, after: new Promise<void>((resolve) => (answers = resolve)) }));
    await happensIn('eu', company, service_id, [0, 1, 2]);
    await receiver.received(1);

    await beginsToLeave(company);
    answers();
    await hasMoved(company, webhook_id);

    expect(delivered(receiver)).toEqual(['run_0', 'run_1', 'run_2']);
  });

  it('are delivered once and in order through several moves under load, by webhook and by feed', async () => {
    const { company, service_id, endpoints } = await shop(4);
    const client = await company.asks(serviceClient.createServiceClient, { params: { id: service_id }, body: {} });
    const backend = moving.world.backendOf(company, { ...client, service_id });
    for (const { receiver } of endpoints) receiver.answer(({ order }) => ({ status: 200, delayMs: (order * 7) % 40 }));
    const events: string[] = [];
    const over = new AbortController();
    const happens = async () => {
      for (let n = 0; !over.signal.aborted; await pause(5)) {
        const isHome = (await happensIn('eu', company, service_id, [n])) || (await happensIn('us', company, service_id, [n]));
        if (isHome) events.push(`run_${n++}`);
      }
    };

    const load = happens();
    for (const [nth, to] of ['us', 'eu', 'us', 'eu', 'us', 'eu'].entries()) {
      await moving.moves(company, to);
      await moving.arrives(company);
      await until(async () => events.length > 10 * (nth + 1), 'more has happened before the next move');
    }
    over.abort();
    await load;
    for (const { webhook_id } of endpoints) await comesTrue(async () => expect(await queuedFor('eu', webhook_id)).toEqual([]));

    expect(events.length).toBeGreaterThan(60);
    for (const { receiver } of endpoints) expect(delivered(receiver)).toEqual(events);
    await backend.getsToken();
    const drained: string[] = [];
    for (let more = true; more;) {
      const answer = await backend.feed.drains();
      drained.push(...runsOf(answer.events));
      more = answer.more;
    }
    expect(drained).toEqual(events);
  });

  it('are handed out once by a lease that is acknowledged after the move @gap D1-4.3', async () => {
    const { company, service_id } = await shop(0);
    const client = await company.asks(serviceClient.createServiceClient, { params: { id: service_id }, body: {} });
    const backend = moving.world.backendOf(company, { ...client, service_id });
    await backend.getsToken();
    await happensIn('eu', company, service_id, [0, 1]);
    const first = await backend.feed.drains({ lease: 'new' });

    await moving.moves(company, 'us');
    await moving.arrives(company);
    await happensIn('us', company, service_id, [2]);
    await backend.getsToken();
    const second = await backend.feed.drains({ lease: first.lease! });

    expect(runsOf(first.events)).toEqual(['run_0', 'run_1']);
    expect(runsOf(second.events)).toEqual(['run_2']);
  });
});
