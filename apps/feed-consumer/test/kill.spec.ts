import { setTimeout as pause } from 'node:timers/promises';
import { RECONCILED_HEADER, type FeedEvent } from '@codase/contracts';
import { signWebhook } from '@codase/crypto';
import { many, openDatabase, sql } from '@codase/runtime/db';
import { eventually, World } from '@codase/testing';
import { PlayedGateway, type Streamed } from './played-gateway.ts';
import { quietDrains } from './quiet-drains.ts';

const KILLS = 2;
const isLast = (kill: number) => kill === KILLS - 1;

/** Compares the stream with the events that were sent in this order: which are lost, how many came twice or out of order. */
function reckon(sent: readonly FeedEvent[], streamed: readonly Streamed[]) {
  const positions = new Map(sent.map(({ id }, index) => [id, index]));
  const arrived = streamed.flatMap(({ event }) => (positions.has(event.id) ? [event] : []));
  const ids = arrived.map(({ id }) => id);
  const last = new Map<string, number>();
  const disordered = arrived.filter(({ id, person_user_id }) => {
    const before = last.get(person_user_id) ?? -1;
    last.set(person_user_id, positions.get(id)!);
    return positions.get(id)! < before;
  });
  const seen = new Set(ids);
  return {
    lost: sent.filter(({ id }) => !seen.has(id)).map(({ id }) => id),
    duplicated: ids.length - seen.size,
    disordered: disordered.length,
  };
}

describe('a killed feed consumer', () => {
  let world: World;
  let gateway: PlayedGateway;
  const opens = async (channels?: Record<string, object>) => {
    world = await World.open({ processes: 'many', units: [], ...(channels && { channels }) });
    gateway = await PlayedGateway.open(world);
  };
  let db: Awaited<ReturnType<typeof openDatabase>> | undefined;
  afterEach(async () => {
    db = undefined;
    await world?.close();
  });

  const rows = async <Row>(query: ReturnType<typeof sql>) => {
    db ??= await world.opensDatabase('feed_consumer');
    return many<Row>(db, query);
  };
  const unsettled = sql`select from spool union all select from channel where reconcile is not null or draining_since is not null`;
  const settled = () => eventually(async () => ((await rows(unsettled)).length === 0 ? true : undefined));

  it('finds the events lost between a drain and its store by the drain note, and publishes what changed', async () => {
    await opens();
    gateway.edits('usr_1', 'city', 'Lund', { told: false });
    await world.starts('feed-consumer');
    await eventually(async () => (gateway.lists > 0 && gateway.drains > 1 ? true : undefined));
    await settled(); // the list is stored: an edit from now on is a change
    let killed = false;
    gateway.onTaken = async (taken) => {
      if (killed || taken.length === 0) return;
      killed = true;
      await world.kill('feed-consumer');
    };
    gateway.edits('usr_1', 'city', 'Malmö');
    await eventually(async () => (killed ? true : undefined));
    await world.comesBack('feed-consumer');

    const [found] = await gateway.streamed(1);

    expect([found!.event.event, found!.event.person_user_id, found!.header(RECONCILED_HEADER)]).toEqual(['field_updated', 'usr_1', 'true']);
    expect((found!.event as { value?: string }).value).toContain('Malmö');
  });

  it('loses no event when the platform waits for acknowledgements', async () => {
    await opens();
    gateway.leases = 'offered';
    gateway.perDrain = 5;
    await world.starts('feed-consumer');
    const sent: FeedEvent[] = [];

    for (let kill = 0; kill < KILLS; kill++) {
      for (let n = 0; n < 60; n++) sent.push(gateway.writes(`usr_${n % 4}`));
      await pause(50 + Math.random() * 250);
      await (isLast(kill) ? world.comesBack('feed-consumer') : world.restart('feed-consumer'));
    }
    await eventually(async () => (gateway.queue.length === 0 ? true : undefined));
    await settled();

    expect(reckon(sent, await gateway.streamed(sent.length))).toEqual({ lost: [], duplicated: 0, disordered: 0 });
  });

  const quiet = () => quietDrains(gateway, rows);
  const killedWithTheNext = async (event: () => FeedEvent) => {
    let killed = false;
    gateway.onTaken = async (taken) => {
      if (killed || taken.length === 0) return;
      killed = true;
      await world.kill('feed-consumer');
    };
    const sent = event();
    await eventually(async () => (killed ? true : undefined));
    return sent;
  };

  it('gets the events of a drain without a note again, once and in order, when it acknowledges drains', async () => {
    await opens();
    gateway.leases = 'offered';
    await world.starts('feed-consumer');
    await settled();
    const sent: FeedEvent[] = [];

    for (let kill = 0; kill < KILLS; kill++) {
      await quiet();
      sent.push(await killedWithTheNext(() => gateway.writes('usr_1')));
      await (isLast(kill) ? world.comesBack('feed-consumer') : world.restart('feed-consumer'));
    }

    expect(reckon(sent, await gateway.streamed(KILLS))).toEqual({ lost: [], duplicated: 0, disordered: 0 });
    expect(await rows(sql`select run from channel`)).toEqual([{ run: 1 }]);
  });

  it.each(['refused', 'ignored'] as const)(
    'finds the loss of a drain without a note after the platform stopped waiting for acknowledgements: %s',
    async (leases) => {
      await opens();
      gateway.leases = 'offered';
      gateway.edits('usr_1', 'city', 'Lund', { told: false });
      await world.starts('feed-consumer');
      await eventually(async () => (gateway.lists > 0 ? true : undefined));
      await settled();
      await quiet();
      gateway.leases = leases;
      await killedWithTheNext(() => gateway.edits('usr_1', 'city', 'Malmö'));
      await world.comesBack('feed-consumer');

      const [found] = await gateway.streamed(1);

      expect([found!.event.event, found!.header(RECONCILED_HEADER)]).toEqual(['field_updated', 'true']);
    },
  );

  it("loses no stored event, and keeps the order of each person's events", async () => {
    await opens();
    gateway.perDrain = 5;
    const taken: (readonly FeedEvent[])[] = [];
    gateway.onTaken = (events) => void (events.length && taken.push(events));
    await world.starts('feed-consumer');
    const sent: FeedEvent[] = [];
    const atRisk = new Set<string>();

    for (let kill = 0; kill < KILLS; kill++) {
      for (let n = 0; n < 60; n++) sent.push(gateway.writes(`usr_${n % 4}`));
      await pause(50 + Math.random() * 250);
      await world.kill('feed-consumer');
      // The last drain took these events before the process died. Perhaps they were never stored.
      for (const { id } of taken.at(-1) ?? []) atRisk.add(id);
      await (isLast(kill) ? world.comesBack('feed-consumer') : world.restart('feed-consumer'));
    }
    await eventually(async () => (gateway.queue.length === 0 ? true : undefined));
    await settled();

    const { lost, ...rest } = reckon(sent, await gateway.streamed(1));
    expect(rest).toEqual({ duplicated: 0, disordered: 0 });
    expect(lost.filter((id) => !atRisk.has(id))).toEqual([]);
    const [channel] = await rows<{ run: number }>(sql`select run from channel`);
    expect(lost.length === 0 || channel!.run > 1).toBe(true);
  });

  it('loses no delivery that it answered with 200', async () => {
    await opens({ shop: { mode: 'webhook', webhook_id: 'whk_1', auth: { auth_type: 'hmac', hmac_secret: 'whsec_1' } } });
    await world.starts('feed-consumer');
    const at = new Date().toISOString(); // an event of long ago would be refused
    const sent = Array.from({ length: 200 }, (_, n) => ({ ...gateway.writes(`usr_${n % 4}`), at }));
    const deliver = async (event: FeedEvent) => {
      const body = JSON.stringify(event);
      const headers = { 'x-platform-webhook-id': 'whk_1', 'x-platform-signature': await signWebhook('whsec_1', Buffer.from(body)) };
      const answer = await fetch(world.hookUrl('shop'), { method: 'POST', headers, body }).catch(() => undefined);
      await answer?.arrayBuffer().catch(() => undefined);
      return answer?.status === 200 ? true : undefined;
    };
    const delivering = (async () => {
      for (const event of sent) await eventually(() => deliver(event));
    })();

    for (let kill = 0; kill < KILLS; kill++) {
      await pause(50 + Math.random() * 150);
      await (isLast(kill) ? world.comesBack('feed-consumer') : world.restart('feed-consumer'));
    }
    await delivering;
    await settled();

    expect(reckon(sent, await gateway.streamed(sent.length))).toEqual({ lost: [], duplicated: 0, disordered: 0 });
  });

  it('leaves no drain note and no lease when it is stopped gracefully', async () => {
    await opens();
    await world.starts('feed-consumer');
    const sent = Array.from({ length: 20 }, () => gateway.writes('usr_1'));
    await gateway.streamed(1);

    expect(await world.stop('feed-consumer')).toBe(0);

    expect(await rows(sql`select from channel where draining_since is not null`)).toEqual([]);
    expect(await rows(sql`select from lease where owner is not null`)).toEqual([]);
    await world.comesBack('feed-consumer');
    expect(reckon(sent, await gateway.streamed(20))).toEqual({ lost: [], duplicated: 0, disordered: 0 });
  });
});
