import { auditLog, FRONT_DOOR, OPERATOR, type LogGrowth } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { collectTelemetry, comesTrue, eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';
import { MerkleTree } from '../../../src/access/transparency/index.ts';
import { LogAppend } from '../../../src/access/transparency/log-append.worker.ts';
import { keepHead, keptHeadOf } from '../../../src/access/transparency/log-mirror.store.ts';

const { measured } = collectTelemetry();
const BASES = ['front-door', 'eu', 'us'] as const;

describe('the mirrors of the transparency log @gap D1-8', () => {
  let world: World;
  let app: DataSource;
  let owner: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    app = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES, pool: 3 });
    owner = await world.opensDatabase('front_door', { role: 'owner' });
  });
  afterAll(() => world?.close());

  const urlOf = (base: (typeof BASES)[number]) => (base === 'front-door' ? world.frontDoorUrl : world.regionUrl(base));
  const partsOf = (note: string) => {
    const [origin = '', size = '', root = '', time = ''] = note.split('\n');
    return { origin, size: Number(size), root, time };
  };
  const notes = async (at: (typeof BASES)[number], base: string) =>
    (await world.stranger.asks(auditLog.readLogMirror, { params: { base } }, { at: urlOf(at) })).heads;
  const kept = async (at: (typeof BASES)[number], base: string) => (await notes(at, base)).map(partsOf);
  const head = async (at: (typeof BASES)[number]) => {
    const { bytes } = (await world.stranger.asks(auditLog.readLogHead, {}, { at: urlOf(at) })) as { bytes: Uint8Array };
    return partsOf(Buffer.from(bytes).toString());
  };
  /** Adds leaves to the log of the front door. */
  const grows = async () => {
    const operator = await world.operator('platform');
    const size = async () => (await one<{ n: number }>(app, sql`select count(*)::int as n from audit.log_leaf`))!.n;
    const before = await size();
    await operator.request(OPERATOR.setMode, {}, { region: 'us', writes_paused: false });
    return eventually(async () => {
      await new LogAppend(app, silentLog).round();
      return (await size()) > before ? size() : undefined;
    });
  };
  const counted = async (base: string, outcome: string) =>
    (await measured())
      .filter(
        ({ name, attributes }) =>
          name === 'codase.transparency.heads_mirrored' && attributes['codase.base'] === base && attributes['codase.outcome'] === outcome,
      )
      .reduce((sum, { value }) => sum + (value as number), 0);
  const asksFrontDoor = async (log: number, size: number): Promise<LogGrowth> =>
    (await world.busAs('platform-region-eu')).request(FRONT_DOOR.followLog, { region: 'eu' }, { log, size });

  it('come to every other base, and again each minute', async () => {
    await world.passes({ seconds: 61 });
    for (const at of BASES)
      for (const base of BASES.filter((other) => other !== at))
        await comesTrue(async () =>
          expect((await kept(at, base))[0]?.origin).toBe(`${new URL(urlOf(base)).host}/.well-known/codase-log/1`),
        );

    const size = await grows();
    await world.passes({ seconds: 61 });

    for (const at of ['eu', 'us'] as const)
      await comesTrue(async () => {
        const [first] = await kept(at, 'front-door');
        expect(first!.size).toBeGreaterThanOrEqual(size);
        expect(first!.time).toBe(`time ${world.now.toISOString()}`);
      });
    expect(await kept('eu', 'nobody')).toEqual([]);
    expect(await kept('eu', 'eu')).toEqual([]);
  });

  it('are asked of a replica that knows fewer leaves than another one has shown', async () => {
    const { size: cached } = await head('front-door');
    const size = await grows();
    expect((await head('front-door')).size).toBe(cached);

    expect(partsOf((await asksFrontDoor(1, size)).note).size).toBeGreaterThanOrEqual(size);
  });

  it('stay when another replica has held a newer head meanwhile, and never become smaller', async () => {
    const tree = (size: number) => {
      const grown = MerkleTree.empty();
      for (let n = 0; n < size; n++) grown.add(Buffer.alloc(32, n));
      return grown;
    };
    const holds = (size: number, checkedFrom: number) =>
      keepHead(app, { base: 'elsewhere', log: 1, tree: tree(size), note: `of ${size}`, at: world.now }, checkedFrom);
    await Promise.all([holds(5, -1), holds(5, -1)]);
    await holds(9, 5);
    await holds(7, 5);
    expect(await keptHeadOf(app, 'elsewhere')).toMatchObject({ log: 1, size: 9 });

    const broken = { constraint: 'log_mirror_extends' };
    await expect(holds(7, 9)).rejects.toMatchObject(broken);
    await expect(app.query(`update audit.log_mirror set subtrees = '' where base = 'elsewhere'`)).rejects.toMatchObject(broken);
    await expect(app.query(`update audit.log_mirror set base = 'other' where base = 'elsewhere'`)).rejects.toMatchObject(broken);
  });

  it('have at most 100 logs of a base, none older than the newest', async () => {
    const begins = (log: number) =>
      app.query(`insert into audit.log_mirror (base, log, size, subtrees, note, at) values ('many', ${log}, 0, '', '', now())`);
    for (let log = 2; log <= 101; log++) await begins(log);

    await expect(begins(102)).rejects.toMatchObject({ constraint: 'log_mirror_log' });
    await expect(begins(1)).rejects.toMatchObject({ constraint: 'log_mirror_log' });
  });

  it('refuse the head of a base whose history was rewritten before its process was started again', async () => {
    await grows();
    await world.passes({ seconds: 61 });
    const seen = await head('front-door');
    for (const at of ['eu', 'us'] as const) await comesTrue(async () => expect((await kept(at, 'front-door'))[0]!.size).toBe(seen.size));
    const before = await counted('front-door', 'refused');

    await world.stop('front-door');
    const undo = await rewrites();
    await world.starts('front-door');
    await world.passes({ seconds: 61 });

    const rewritten = await head('front-door');
    expect(rewritten.size).toBeGreaterThanOrEqual(seen.size);
    await comesTrue(async () => expect(await counted('front-door', 'refused')).toBeGreaterThanOrEqual(before + 2));
    for (const at of ['eu', 'us'] as const) expect((await kept(at, 'front-door'))[0]).toMatchObject({ size: seen.size, root: seen.root });

    await world.stop('front-door');
    await undo();
    await world.starts('front-door');
    await world.passes({ seconds: 61 });
    for (const at of ['eu', 'us'] as const)
      await comesTrue(async () => expect((await kept(at, 'front-door'))[0]!.time).toBe(`time ${world.now.toISOString()}`));
  });

  it('refuse what the stolen bus user of a region shows as its head: one that no key signed, one of another base, an old one', async () => {
    const stolen = await world.busAs('platform-region-eu');
    const ofFrontDoor = await asksFrontDoor(0, 0);
    const [ofEu = ''] = await notes('front-door', 'eu');
    await world.stop('region-eu');
    const shown = async () => [await notes('us', 'eu'), await notes('front-door', 'eu')];
    const [before, own] = [await counted('eu', 'refused'), await shown()];

    const answers: Record<string, LogGrowth> = {
      'codase.region.v1.eu.follow_log': await unsigned(),
      'codase.peer.v1.eu.follow_log': ofFrontDoor,
    };
    for (const subject of Object.keys(answers))
      stolen.connection.subscribe(subject, { callback: (_, message) => void message.respond(JSON.stringify(answers[subject])) });
    await world.passes({ seconds: 61 });

    await comesTrue(async () => expect(await counted('eu', 'refused')).toBe(before + 2));
    expect(await shown()).toEqual(own);

    const failures = await counted('eu', 'failed');
    for (const subject of Object.keys(answers)) answers[subject] = { ...ofFrontDoor, note: ofEu };
    await world.passes({ minutes: 11 });
    await comesTrue(async () => expect(await counted('eu', 'failed')).toBe(failures + 2));
    await world.starts('region-eu');
  });

  /** Returns a head of region eu that extends the one that the front door has, with the signature of the earlier one. */
  async function unsigned(): Promise<LogGrowth> {
    const { size, subtrees } = (await keptHeadOf(app, 'eu'))!;
    const tree = MerkleTree.from(size, subtrees)!;
    tree.add(Buffer.alloc(32, 1));
    const [note = ''] = await notes('front-door', 'eu');
    const lines = note.split('\n');
    const forged = [lines[0], tree.size, tree.root().toString('base64'), ...lines.slice(3)].join('\n');
    return { note: forged, subtrees: tree.packed.toString('base64'), leaves: Buffer.alloc(32, 1).toString('base64') };
  }

  /** Changes the first leaf, and the tree with it, so that the log is one whole history, and another one. Returns what undoes it. */
  async function rewrites(): Promise<() => Promise<unknown>> {
    const rows = await many<{ number: string; hash: Buffer; subtrees: Buffer | null }>(
      owner,
      sql`select number, hash, subtrees from audit.log_leaf order by number`,
    );
    const tree = MerkleTree.empty();
    tree.add(Buffer.alloc(32, 1));
    for (const { hash } of rows.slice(1)) tree.add(hash);
    const last = rows.at(-1)!;
    await execute(owner, sql`update audit.log_leaf set hash = ${Buffer.alloc(32, 1)} where number = 0`);
    await execute(owner, sql`update audit.log_leaf set subtrees = ${tree.packed} where number = ${last.number}`);
    return async () => {
      const added = await many<{ hash: Buffer }>(owner, sql`select hash from audit.log_leaf where number > ${last.number} order by number`);
      const whole = MerkleTree.empty();
      for (const { hash } of [...rows, ...added]) whole.add(hash);
      await execute(owner, sql`update audit.log_leaf set hash = ${rows[0]!.hash} where number = 0`);
      await execute(owner, sql`update audit.log_leaf set subtrees = ${whole.packed} where number = ${Number(last.number) + added.length}`);
    };
  }
});
