import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditLog, OPERATOR, type AuditEntry } from '@codase/contracts';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_ENTITIES } from '../../../src/capabilities.ts';
import { leafOf } from '../../../src/access/transparency/index.ts';
import { LogAppend } from '../../../src/access/transparency/log-append.worker.ts';

const SCRIPT = join(import.meta.dirname, '../../../../../examples/verify-log/verify-log.mjs');

describe('the transparency log @gap D1-8', () => {
  let world: World;
  let app: DataSource;
  let owner: DataSource;
  let folder: string;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door'] });
    await world.starts('region-eu', { RATE_LIMITS: JSON.stringify({ transparency: { burst: 6, per_second: 0.001 } }) });
    app = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES, pool: 3 });
    owner = await world.opensDatabase('front_door', { role: 'owner' });
    folder = mkdtempSync(join(tmpdir(), 'codase-log-'));
  });
  afterAll(async () => {
    await world?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const acts = async () => {
    const operator = await world.operator('platform');
    await operator.request(OPERATOR.setMode, {}, { region: 'us', writes_paused: false });
  };
  const exported = async (): Promise<AuditEntry[]> =>
    (await (await world.operator('platform')).request(OPERATOR.readAudit, {}, { from: '2020-01-01T00:00:00.000Z' })).items;
  const head = async (at = world.frontDoorUrl) => {
    const { bytes } = (await world.stranger.asks(auditLog.readLogHead, {}, { at })) as { bytes: Uint8Array };
    const [origin = '', size = '', root = '', time = ''] = Buffer.from(bytes).toString().split('\n');
    return { origin, size: Number(size), root, time };
  };
  const leaves = async (log = '1', page = '0') => {
    const { bytes } = (await world.stranger.asks(auditLog.readLogLeaves, { params: { log, page } })) as { bytes: Uint8Array };
    return Buffer.from(bytes);
  };
  /** Lets entries come into the log, and the head become older than it may be. */
  const grows = async () => {
    await acts();
    const entries = await eventually(async () => {
      await new LogAppend(app, silentLog).round();
      const waiting = await one(
        app,
        // Without a leaf the comparison is null, and every entry waits.
        sql`select 1 from audit.entry where salt is not null and ((epoch, txid, seq) >
              (select epoch, txid, seq from audit.log_leaf order by log desc, number desc limit 1)) is not false`,
      );
      return waiting ? undefined : exported();
    });
    await world.passes({ seconds: 61 });
    return entries;
  };
  /** Runs the example, which uses no code of the platform. */
  const verifies = (audit?: string, base = world.frontDoorUrl, state = 'state.json') =>
    new Promise<string>((resolve) => {
      const words = [SCRIPT, world.frontDoorUrl, base, join(folder, state), ...(audit ? [audit] : [])];
      execFile(process.execPath, words, (_, out, err) => resolve(`${out}${err}`));
    });

  it('has a leaf for each entry of the audit, in the order of the export, and a signed head', async () => {
    await grows();
    const entries = await exported();
    const { origin, size } = await head();

    expect(origin).toBe(`${new URL(world.frontDoorUrl).host}/.well-known/codase-log/1`);
    expect(size).toBeGreaterThan(0);
    const known = (await leaves()).toString('hex');
    const logged = entries.filter(({ salt }) => salt !== undefined).slice(0, size);
    expect(logged.length).toBeGreaterThan(0);
    for (const entry of logged) expect(known).toContain(leafOf(entry).toString('hex'));
    expect(known).toHaveLength((64 * (await leaves()).length) / 32);
  });

  it('is verified by a script that knows nothing of the platform, again and again', async () => {
    const first = await verifies();
    expect(first).toMatch(/leaves, 0 exported entries among them, as before and signed/);

    await grows();
    const file = join(folder, 'audit.jsonl');
    writeFileSync(file, (await exported()).map((entry) => `${JSON.stringify({ base: 'front-door', ...entry })}\n`).join(''));
    await world.passes({ minutes: 6 });
    await grows();
    const second = await verifies(file);

    expect(second).toMatch(/leaves, [1-9]\d* exported entries among them, as before and signed/);
    expect(await verifies(undefined, world.regionUrl('eu'), 'eu.json')).toContain('as before and signed');
  });

  it('shows an exported entry that was changed', async () => {
    const entries = await exported();
    const file = join(folder, 'changed.jsonl');
    writeFileSync(file, entries.map((entry) => `${JSON.stringify({ ...entry, initiator: 'somebody else' })}\n`).join(''));
    await world.passes({ minutes: 6 });
    await grows();

    expect(await verifies(file)).toContain('NOT VERIFIED: no leaf has this entry');
  });

  it('has one leaf for each entry, however many replicas add them at once', async () => {
    for (let n = 0; n < 5; n++) await acts();
    await Promise.all(Array.from({ length: 3 }, () => new LogAppend(app, silentLog).round()));
    await grows();

    expect(await many(app, sql`select epoch, txid, seq from audit.log_leaf group by 1, 2, 3 having count(*) > 1`)).toEqual([]);
    const count = await one<{ n: number; last: number }>(
      app,
      sql`select count(*)::int as n, max(number)::int + 1 as last from audit.log_leaf`,
    );
    expect(count!.n).toBe(count!.last);
  });

  it('is not signed any more when a leaf was changed after a head with it was signed, and the script says so', async () => {
    await head();
    await verifies();
    const [changed] = await many<{ number: string; hash: Buffer }>(
      owner,
      sql`select number, hash from audit.log_leaf order by number desc limit 1`,
    );
    await grows();
    await execute(owner, sql`update audit.log_leaf set hash = sha256('x') where number = ${changed!.number}`);
    expect(await verifies()).toContain('NOT VERIFIED');
    await execute(owner, sql`delete from audit.log_leaf where number > ${changed!.number}`);
    await execute(owner, sql`update audit.log_leaf set subtrees = null where number = ${changed!.number}`);

    await world.passes({ seconds: 61 });
    await expect(head()).rejects.toMatchObject({ key: 'service.unavailable', status: 503 });
    await execute(owner, sql`update audit.log_leaf set hash = ${changed!.hash} where number = ${changed!.number}`);
  });

  it('begins anew with a number of its own when the epoch was raised after a restore, which the script says', async () => {
    await execute(owner, sql`select audit_raise_epoch(1)`);
    await grows();

    const { origin } = await head();
    expect(origin).toMatch(/\/.well-known\/codase-log\/2$/);
    expect(await verifies()).toContain('the database was restored');
  });

  it('answers 404 for a log or a page that is no number, or that is not there', async () => {
    await expect(leaves('x')).rejects.toMatchObject({ key: 'request.not_found', status: 404 });
    for (const [log, page] of [
      ['7', '0'],
      ['1', '999999999'],
      ['7', '999999999'],
    ])
      await expect(leaves(log, page)).rejects.toMatchObject({ key: 'log.not_found', status: 404 });
  });

  it('is read at a limited rate', async () => {
    const at = world.regionUrl('eu');
    const tooMany = { key: 'rate_limit.exceeded', status: 429 };
    for (let n = 0; n < 6; n++) await head(at).catch(() => undefined);

    await expect(head(at)).rejects.toMatchObject(tooMany);
    await expect(world.stranger.asks(auditLog.readLogLeaves, { params: { log: '1', page: '0' } }, { at })).rejects.toMatchObject(tooMany);
    await expect(world.stranger.asks(auditLog.readLogMirror, { params: { base: 'us' } }, { at })).rejects.toMatchObject(tooMany);
  });
});
