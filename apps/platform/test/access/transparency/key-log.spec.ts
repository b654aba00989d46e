import { generateKeyPairSync } from 'node:crypto';
import { auditLog, registry, type KeyProof } from '@codase/contracts';
import { KeyLog, publicKeySha256, type LoggedKey, type SeenHead } from '@codase/crypto';
import { execute, many, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, eventually, World } from '@codase/testing';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_ENTITIES, REGION_ENTITIES } from '../../../src/capabilities.ts';
import { KeyLogWorker } from '../../../src/access/transparency/key-log.worker.ts';
import { listKeys } from '../../../src/migrations/list-keys.ts';
import { LogAppend } from '../../../src/access/transparency/log-append.worker.ts';

/** The key of somebody who reads what was sealed for others. Nobody of the demo has it, while several of them share one. */
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

describe('public keys in the transparency log @gap D1-8', () => {
  let world: World;
  let app: DataSource;
  let owner: DataSource;
  let region: DataSource;
  beforeAll(async () => {
    world = await World.open({ units: ['front-door', 'region-eu', 'region-us'] });
    app = await world.opensDatabase('front_door', { entities: FRONT_DOOR_ENTITIES, pool: 3 });
    owner = await world.opensDatabase('front_door', { role: 'owner' });
    region = await world.opensDatabase('region_eu', { entities: REGION_ENTITIES, pool: 3 });
  });
  afterAll(() => world?.close());

  const digest = async (public_key: string, kind: LoggedKey['kind'], holder: string) => ({
    kind,
    owner: holder,
    key_sha256: await publicKeySha256(public_key),
  });
  const asks = (key: LoggedKey, seen?: Pick<SeenHead, 'log' | 'size'>, at = world.frontDoorUrl): Promise<KeyProof> => {
    const query = seen ? { seen_log: String(seen.log), seen_size: String(seen.size) } : {};
    return world.stranger.asks(auditLog.proveKey, { params: key as never, query }, { at });
  };
  const signers = async (base: string) => {
    const { bases } = await world.stranger.asks(auditLog.readLogKeys, {});
    return bases.find((one) => one.base === base)!;
  };
  const reader = async (base = 'front-door', seen?: SeenHead) =>
    new KeyLog({ ...(await signers(base)), now: () => world.now.getTime(), seen });
  /** Waits until the log shows a key. */
  const isLogged = (key: LoggedKey, at?: string): Promise<KeyProof> =>
    eventually(async () => {
      await rounds();
      return asks(key, undefined, at).catch((error: { key?: string }) => {
        if (error.key !== 'keys.not_logged_yet') throw error;
        return undefined;
      });
    });
  const worker = () => new KeyLogWorker(app, { now: () => world.now }, silentLog);
  async function rounds(): Promise<void> {
    await worker().round();
    await new LogAppend(app, silentLog).round();
  }
  const notLogged = { key: 'keys.not_logged', status: 404 };

  it('are shown to whoever knows the key and its owner, by the base that holds it', async () => {
    const ana = await digest(world.person('ANA').public_key, 'account', 'ANA');
    const acme = await digest(world.acme.public_key, 'account', world.acme.share_code);
    const shop = await digest(world.shop.keys!.public_key, 'service', 'ser_demo_shop');
    for (const key of [ana, acme]) await isLogged(key);
    await comesTrue(() => asks(shop, undefined, world.regionUrl('eu')));
    const [frontDoor, eu] = [await reader(), await reader('eu')];

    for (const key of [ana, acme]) await frontDoor.check(key, (seen) => asks(key, seen));
    await eu.check(shop, (seen) => asks(shop, seen, world.regionUrl('eu')));

    expect(frontDoor.seen).toMatchObject({ log: 1 });
    await expect(asks(shop)).rejects.toMatchObject(notLogged);
    await expect(asks(ana, undefined, world.regionUrl('eu'))).rejects.toMatchObject(notLogged);
  });

  it('are shown by a region to the clients of its services, with the keys of the base whose log it is', async () => {
    const ana = await digest(world.person('ANA').public_key, 'account', 'ANA');
    const asksRegion = (key: LoggedKey, seen?: SeenHead) => {
      const query = seen ? { seen_log: String(seen.log), seen_size: String(seen.size) } : {};
      return world.shop.asks(auditLog.readKeyProof, { params: key as never, query });
    };
    await isLogged(ana);
    const log = await reader();
    await log.check(ana, (seen) => asksRegion(ana, seen));

    const again = await log.check(ana, (seen) => asksRegion(ana, seen));
    expect(again).toMatchObject({ base: 'front-door', keys: (await signers('front-door')).keys, consistency: [] });
    const shop = await digest(world.shop.keys!.public_key, 'service', 'ser_demo_shop');
    expect(await asksRegion(shop)).toMatchObject({ base: 'eu', keys: (await signers('eu')).keys });
    await expect(asksRegion({ ...ana, owner: 'NOBODY' })).rejects.toMatchObject(notLogged);
    const query = { seen_log: 'the first' };
    await expect(world.shop.asks(auditLog.readKeyProof, { params: ana as never, query })).rejects.toMatchObject({ key: 'request.invalid' });
  });

  it('are shown to nobody who does not know key and owner', async () => {
    const ana = await digest(world.person('ANA').public_key, 'account', 'ANA');
    await isLogged(ana);
    const others = [
      { ...ana, owner: 'NOBODY' },
      { ...ana, kind: 'service' },
      { ...ana, kind: 'other' },
      { ...ana, owner: "ANA' or true --" },
      { ...ana, owner: 'A'.repeat(65) },
      { ...ana, key_sha256: ana.key_sha256.toUpperCase() },
      { ...ana, key_sha256: '0'.repeat(64) },
      { ...ana, key_sha256: '..%2f..' },
    ];
    await expect(asks({ ...ana, owner: 'A'.repeat(3000) })).rejects.toMatchObject({ status: 404 });
    for (const key of others) await expect(asks(key)).rejects.toMatchObject(notLogged);
    await expect(asks(ana, { log: -1, size: 0 })).rejects.toMatchObject({ key: 'request.invalid', status: 400 });
    const { bytes } = (await world.stranger.asks(auditLog.readLogHead, {})) as { bytes: Uint8Array };
    const far = await asks(ana, { log: 1, size: 999_999_999_999 });
    expect(far.consistency).toBeNull();
    expect(far.head).toBe(Buffer.from(bytes).toString());
  });

  it('are logged as well when they are older than the log of keys, and listing them again changes nothing', async () => {
    await execute(owner, sql`alter table account disable trigger list_key`);
    await execute(
      owner,
      sql`insert into account (user_id, type, email, region, created_at, share_code, public_key)
          values ('usr_before', 'person', 'before@demo.example', 'eu', ${world.now}, 'BEFORE', ${OTHER_KEY})`,
    );
    await execute(owner, sql`insert into audit.logged_key (kind, owner, key_sha256) values ('account', 'GONE', ${sha(77)})`);
    await execute(owner, sql`alter table account enable trigger list_key`);
    const accounts = { kind: 'account', table: 'account', owner: 'share_code', key: 'public_key', form: 'spki' } as const;
    const runner = owner.createQueryRunner();
    for (let n = 0; n < 2; n++) await listKeys(runner, accounts);
    await runner.release();

    const before = await digest(OTHER_KEY, 'account', 'BEFORE');
    await isLogged(before);
    await expect(asks({ kind: 'account', owner: 'GONE', key_sha256: sha(77) })).rejects.toMatchObject(notLogged);
    await execute(owner, sql`delete from account where user_id = 'usr_before'`);
    await expect(asks(before)).rejects.toMatchObject(notLogged);
  });

  it('are refused for now while the log does not have them yet', async () => {
    const key = { kind: 'device', owner: 'new', key_sha256: sha(55) };
    // No worker takes a key of a later epoch, so the key waits for as long as the test likes.
    await execute(owner, sql`insert into audit.logged_key (kind, owner, key_sha256, epoch) values ('device', 'new', ${sha(55)}, 1000)`);

    await expect(asks(key)).rejects.toMatchObject({ key: 'keys.not_logged_yet', status: 409 });
    const asksRegion = world.shop.asks(auditLog.readKeyProof, { params: key as never, query: {} });
    await expect(asksRegion).rejects.toMatchObject({ key: 'keys.not_logged_yet', status: 409 });
    await execute(owner, sql`delete from audit.logged_key where owner = 'new'`);
  });

  it('are not believed with a proof of another key or of another owner', async () => {
    const ana = await digest(world.person('ANA').public_key, 'account', 'ANA');
    const ben = await digest(world.person('BEN').public_key, 'account', 'BEN');
    for (const key of [ana, ben]) await isLogged(key);
    const log = await reader();
    const faultOf = (key: LoggedKey, proof: Promise<KeyProof>) =>
      log
        .check(key, () => proof)
        .then(
          () => undefined,
          ({ fault }: { fault: string }) => fault,
        );

    expect(await faultOf(ben, asks(ana))).toBe('key');
    expect(await faultOf({ ...ana, owner: 'BEN' }, asks(ana))).toBe('key');
    const elsewhere = asks(ana).then((proof) => ({ ...proof, leaf: proof.leaf + 1 }));
    expect(await faultOf(ana, elsewhere)).toBe('key');
    expect(await faultOf(ana, asks(ana))).toBeUndefined();
    const eu = await reader('eu');
    await expect(eu.check(ana, () => asks(ana))).rejects.toMatchObject({ fault: 'head' });
  });

  it('are not shown once the app has swapped them, in whichever table', async () => {
    const ben = await isLogged(await digest(world.person('BEN').public_key, 'account', 'BEN'));
    expect(ben.leaf).toBeGreaterThanOrEqual(0);
    const us = await world.opensDatabase('region_us', { entities: REGION_ENTITIES });
    await execute(us, sql`update profile set public_key = ${OTHER_KEY} where share_code = 'BEN'`);
    await execute(app, sql`update account set public_key = ${OTHER_KEY} where share_code = 'BEN'`);
    await rounds();

    const { public_key } = await world.boltShop.asks(registry.readPublicKey, { params: { shareCode: 'BEN' } });
    const swapped = await digest(public_key, 'account', 'BEN');
    expect(public_key).toBe(OTHER_KEY);
    await expect(asks(swapped)).rejects.toMatchObject(notLogged);
    await expect(world.boltShop.asks(auditLog.readKeyProof, { params: swapped as never, query: {} })).rejects.toMatchObject(notLogged);
    await execute(us, sql`update profile set public_key = ${world.person('BEN').public_key} where share_code = 'BEN'`);
    await execute(app, sql`update account set public_key = ${world.person('BEN').public_key} where share_code = 'BEN'`);
  });

  it('are checked by a phone before it seals to a service, also one of another region', async () => {
    const ben = world.person('BEN');
    ben.keyLogs.follows(() => world.now);
    await comesTrue(() => ben.keyLogs.checks('service', 'ser_demo_shop', world.shop.keys!.public_key));

    await execute(region, sql`update service set public_key = ${OTHER_KEY} where service_id = 'ser_demo_shop'`);
    await expect(ben.connections.connects('ACME/SHOP')).rejects.toMatchObject({ key: 'keys.not_logged' });

    await execute(region, sql`update service set public_key = ${world.shop.keys!.public_key} where service_id = 'ser_demo_shop'`);
    await ben.connections.connects('ACME/SHOP');
  });

  it('are neither listed nor taken out by the app', async () => {
    const refused = { code: '42501' };
    const row = sql`insert into audit.logged_key (kind, owner, key_sha256) values ('account', 'BEN', ${'a'.repeat(64)})`;
    await expect(execute(app, row)).rejects.toMatchObject(refused);
    await expect(execute(app, sql`delete from audit.logged_key`)).rejects.toMatchObject(refused);
    await expect(execute(app, sql`update audit.logged_key set key_sha256 = ${'a'.repeat(64)}`)).rejects.toMatchObject(refused);
    await expect(execute(app, sql`update audit.logged_key set salt = gen_random_uuid()`)).rejects.toMatchObject(refused);
  });

  it('have one entry each, however many replicas add them at once', async () => {
    for (let n = 0; n < 30; n++)
      await execute(owner, sql`insert into audit.logged_key (kind, owner, key_sha256) values ('device', 'replicas', ${sha(n)})`);
    await Promise.all(Array.from({ length: 3 }, () => worker().round()));
    await rounds();

    const twice = sql`select details from audit.entry where act = 'key.logged' group by details having count(*) > 1`;
    expect(await many(owner, twice)).toEqual([]);
    const logged = await many(owner, sql`select from audit.logged_key where owner = 'replicas' and entry_salt is not null`);
    expect(logged).toHaveLength(30);
  });

  it('are shown beside those before them when they are rotated', async () => {
    for (const n of [101, 102])
      await execute(
        app,
        sql`insert into known_seal_certificate (certificate_id, certificate_pem, region, created_at)
            values (${sha(n)}, '', 'eu', ${world.now})`,
      );
    const log = await reader();
    for (const n of [101, 102]) {
      const key = { kind: 'seal', owner: 'eu', key_sha256: sha(n) };
      await isLogged(key);
      expect(await log.check(key, (seen) => asks(key, seen))).toMatchObject({ path: expect.any(Array) });
    }
    await execute(owner, sql`delete from known_seal_certificate where certificate_id in (${sha(101)}, ${sha(102)})`);
  });

  it('leave nothing that names an account which was erased', async () => {
    const gone = await world.signsUp({ type: 'person' });
    const key = await digest(gone.public_key, 'account', gone.share_code);
    const proof = await isLogged(key);

    await execute(app, sql`delete from account where share_code = ${gone.share_code}`);

    await expect(asks(key)).rejects.toMatchObject(notLogged);
    const left = await many<{ text: string }>(owner, sql`select to_jsonb(e)::text as text from audit.entry e where act = 'key.logged'`);
    expect(left.some(({ text }) => text.includes(proof.entry_salt))).toBe(true);
    for (const { text } of left)
      for (const name of [gone.share_code, gone.user_id, key.key_sha256, proof.salt]) expect(text).not.toContain(`"${name}"`);
    expect(await many(owner, sql`select from audit.logged_key where salt = ${proof.salt}`)).toEqual([]);
  });

  it('come into the new log after a restore, which readers follow, and never back into an older one', async () => {
    const ana = await digest(world.person('ANA').public_key, 'account', 'ANA');
    const before = await isLogged(ana);
    const log = await reader();
    await log.check(ana, (seen) => asks(ana, seen));
    expect(log.seen!.log).toBe(1);

    await execute(owner, sql`select audit_raise_epoch(1)`);
    await eventually(async () => {
      await rounds();
      return (await isLogged(ana)).head.includes('codase-log/2\n') ? true : undefined;
    });

    await log.check(ana, (seen) => asks(ana, seen));
    expect(log.seen!.log).toBe(2);
    await expect(log.check(ana, () => Promise.resolve(before))).rejects.toMatchObject({ fault: 'history' });
  });
});

/** A SHA-256 in hexadecimal. */
const sha = (n: number) => n.toString(16).padStart(64, '0');
