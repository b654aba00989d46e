import { ManualClock } from '@codase/runtime/clock';
import { execute, many, one, sql } from '@codase/runtime/db';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, collectTelemetry } from '@codase/testing';
import { mailBacklog, Relay } from '../../../src/services/mail/index.ts';
import { MailWorker } from '../../../src/services/mail/mail.worker.ts';
import { relayAddress } from '../../../src/access/account-mail/relay-address.ts';
import { Digests } from '../../../src/services/mail/digests.service.ts';
import { Sender } from '../../../src/services/mail/sender.service.ts';
import { Transmission } from '../../../src/services/mail/transmission.service.ts';
import { DeliveryWorld } from '../webhooks/delivery-world.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { bodyOf, header, MailServer } from './mail-server.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe('queued mail @spec D1-6.3', () => {
  let world: DeliveryWorld;
  let server: MailServer;
  let clock: ManualClock;
  const { measured } = collectTelemetry();
  beforeAll(async () => {
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
  });
  beforeEach(async () => {
    server = await MailServer.open();
    clock = new ManualClock(world.now);
  });
  afterEach(async () => {
    await server.goesDown();
    await execute(world.db, sql`delete from mail`);
    await execute(world.db, sql`delete from service_log`);
    await execute(world.db, sql`delete from mail_digest`);
    await execute(world.db, sql`update service set admin_email_confirmed_at = created_at`);
  });
  afterAll(() => world?.close());

  const theRelay = () => new Relay(relayAddress(server.url), 'platform@codase.example');
  const opens = (region: 'eu' | 'us') => world.world.opensDatabase(`region_${region}`, { role: 'delivery', pool: 2 });
  const process = async (relay: Pick<Relay, 'send'> | null = theRelay(), isPaused = () => false) => {
    const db = await opens('eu');
    const transmission = new Transmission(relay, clock, silentLog);
    const sender = new Sender({ region: 'eu', db, transmission, clock, isPaused });
    const digests = new Digests({ regions: [{ region: 'eu', db }], transmission, clock, isPaused });
    const round = async () => {
      await sender.round();
      await digests.round();
    };
    return { round };
  };
  const own = (webhook_id: string) => ({ company_user_id: world.world.acme.user_id, service_id: world.service_id, webhook_id });
  const queue = (webhook_id: string, lost = 0) =>
    world.db.transaction((tx) =>
      mailBacklog(
        tx,
        own(webhook_id),
        { host: 'hooks.acme.example', enabled: true, oldest_at: world.now.toISOString(), lost },
        clock.now(),
      ),
    );
  const waiting = () =>
    many<{ webhook_id: string; attempts: number; next_at: Date; kind: string }>(world.db, sql`select * from mail order by webhook_id`);
  const logged = () =>
    many<{ kind: string; message: string; webhook_id: string }>(world.db, sql`select kind, message, webhook_id from service_log`);
  const counted = async (name: string) =>
    (await measured()).filter((one) => one.name === name).reduce((sum, { value }) => sum + (value as number), 0);
  /** Ends every hold on a mail, as if the process that holds it had died long ago. */
  const letGo = () => execute(world.db, sql`update mail set held_until = '-infinity'`);

  it('is written in the transaction of its alert, and rolled back with it', async () => {
    const broken = world.db.transaction(async (tx) => {
      await mailBacklog(tx, own('wh_1'), { host: 'hooks.acme.example', enabled: true, oldest_at: null, lost: 1 }, clock.now());
      throw new Error('something else failed');
    });

    await expect(broken).rejects.toThrow('something else failed');
    expect(await waiting()).toEqual([]);
  });

  it('is retried with growing delays while the relay is down', async () => {
    const sender = await process();
    const before = await counted('codase.mail.failed');
    await server.goesDown();
    await queue('wh_1');

    await sender.round();
    await sender.round();
    expect(await waiting()).toMatchObject([{ attempts: 1, next_at: new Date(clock.now().getTime() + MINUTE_MS) }]);
    clock.passes(MINUTE_MS);
    await sender.round();
    expect(await waiting()).toMatchObject([{ attempts: 2, next_at: new Date(clock.now().getTime() + 2 * MINUTE_MS) }]);
    expect((await counted('codase.mail.failed')) - before).toBe(2);

    await server.comesUp();
    clock.passes(2 * MINUTE_MS);
    await sender.round();
    expect(server.mails).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });

  it('is tried once per round while the relay is down, not for every mail', async () => {
    const sender = await process();
    await server.goesDown();
    await queue('wh_1');
    await queue('wh_2');

    await sender.round();

    expect((await waiting()).map(({ attempts }) => attempts).toSorted()).toEqual([0, 1]);
  });

  it('is replaced by the next mail about the same webhook, which adds up all lost events', async () => {
    const sender = await process();
    await queue('wh_1', 2);
    await queue('wh_2', 1);
    await queue('wh_1', 3);
    await queue('wh_1');

    await sender.round();

    expect(server.mails.map((mail) => header(mail, 'Subject')!.match(/: (.*) for /)![1]).toSorted()).toEqual([
      '1 event lost',
      '5 events lost',
    ]);
  });

  it('is given up at once on a permanent refusal of the address, with a log entry', async () => {
    const sender = await process();
    const before = await counted('codase.mail.given_up');
    server.refusal = { at: 'recipient', status: 550 };
    await queue('wh_1');
    await queue('wh_2');

    await sender.round();

    expect(await waiting()).toEqual([]);
    expect(await logged()).toContainEqual({
      kind: 'mail_given_up',
      webhook_id: 'wh_1',
      message:
        'A mail about the webhook to hooks.acme.example is given up: the mail server refused it for good (550). See that the admin ' +
        'e-mail of the service is right and takes mail',
    });
    expect(await logged()).toHaveLength(2);
    expect((await counted('codase.mail.given_up')) - before).toBe(2);
  });

  it('is retried when the relay defers it', async () => {
    const sender = await process();
    server.refusal = { at: 'text', status: 451 };
    await queue('wh_1');

    await sender.round();
    expect(await waiting()).toMatchObject([{ attempts: 1 }]);

    server.refusal = undefined;
    clock.passes(MINUTE_MS);
    await sender.round();
    expect(server.mails).toHaveLength(1);
  });

  it.each(['recipient', 'text'] as const)('is sent in the same round in which the relay defers another mail by its %s', async (at) => {
    const sender = await process();
    server.refusal = { at, status: 450, to: 'busy@acme.example' };
    await queue('wh_1');
    await execute(world.db, sql`update mail set facts = facts || '{"to":"busy@acme.example"}'::jsonb`);
    clock.passes(1);
    await queue('wh_2');

    await sender.round();

    expect(server.mails).toHaveLength(1);
    expect(await waiting()).toMatchObject([{ webhook_id: 'wh_1', attempts: 1 }]);
  });

  it.each(['with', 'without'])('is given up after two days %s a relay', async (relay) => {
    const sender = await process(relay === 'without' ? null : undefined);
    await server.goesDown();
    await queue('wh_1');

    clock.passes(48 * HOUR_MS);
    await sender.round();
    expect(await logged()).toEqual([]);
    await letGo();
    clock.passes(1);
    await sender.round();

    expect(await waiting()).toEqual([]);
    expect(await logged()).toEqual([
      expect.objectContaining({ kind: 'mail_given_up', message: expect.stringContaining('it could not be sent within 48 hours') }),
    ]);
  });

  it('is sent once by two concurrent processes', async () => {
    const senders = [await process(), await process()];
    server.delayMs = 20;
    const hooks = Array.from({ length: 20 }, (_, i) => `wh_${i}`);
    for (const hook of hooks) await queue(hook);

    await Promise.all(senders.map((sender) => sender.round()));

    expect(server.mails.map((mail) => bodyOf(mail).match(/The webhook (\S+)/)![1]).toSorted()).toEqual(hooks.toSorted());
    expect(await waiting()).toEqual([]);
  });

  it('is sent again with the same Message-ID when a process died before recording the delivery', async () => {
    const neverBack = new Promise<void>(() => undefined);
    const dying = await process({
      send: (mail) =>
        theRelay()
          .send(mail)
          .then(() => neverBack),
    });
    const next = await process();
    await queue('wh_1');

    void dying.round();
    await comesTrue(async () => expect(server.mails).toHaveLength(1));
    await next.round();
    expect(server.mails).toHaveLength(1);
    await letGo();
    await next.round();

    expect(server.mails).toHaveLength(2);
    expect(header(server.mails[1]!, 'Message-ID')).toBe(header(server.mails[0]!, 'Message-ID'));
    expect(await waiting()).toEqual([]);
  });

  it('does not delay the shutdown of a process when the relay is slow', async () => {
    let begun = false;
    const slow = {
      send: () => {
        begun = true;
        return new Promise<void>(() => undefined);
      },
    };
    const worker = new MailWorker([{ region: 'eu', db: world.db }], slow, { isPaused: () => false }, clock, silentLog);
    await queue('wh_1');
    worker.onApplicationBootstrap();
    await comesTrue(async () => expect(begun).toBe(true));
    const leftAt = performance.now();

    await worker.beforeApplicationShutdown();

    expect(performance.now() - leftAt).toBeLessThan(60_000); // the relay would never answer
    expect(await waiting()).toHaveLength(1);
  });

  it("is sent to the service's current address at the time of sending", async () => {
    const sender = await process();
    const { admin_email } = (await one<{ admin_email: string }>(
      world.db,
      sql`select admin_email from service where service_id = ${world.service_id}`,
    ))!;
    const changeTo = (address: string) =>
      execute(world.db, sql`update service set admin_email = ${address} where service_id = ${world.service_id}`);
    await queue('wh_1');
    await changeTo('somebody-else@acme.example');

    await sender.round();

    await changeTo(admin_email);
    expect(server.mails).toMatchObject([{ to: ['somebody-else@acme.example'] }]);
  });

  describe('mail to an unconfirmed address @gap D1-2.4', () => {
    beforeEach(async () => {
      await execute(world.db, sql`update service set admin_email_confirmed_at = null`);
    });

    it('is sent as one digest a day, which has only ids', async () => {
      const processes = [await process(), await process()];
      await queue('wh_1', 2);
      await queue('wh_2');

      await Promise.all(processes.map((one) => one.round()));
      await queue('wh_1', 3);
      clock.passes(MINUTE_MS);
      await processes[0]!.round();
      expect(server.mails).toHaveLength(1);
      expect(bodyOf(server.mails[0]!)).toMatch(/wh_1: .*2 events lost[^]*wh_2: events wait since/);
      expect(bodyOf(server.mails[0]!)).not.toContain('hooks.acme.example');
      expect(await waiting()).toMatchObject([{ webhook_id: 'wh_1' }]);

      clock.passes(24 * HOUR_MS);
      await processes[0]!.round();
      expect(server.mails).toHaveLength(2);
      expect(bodyOf(server.mails[1]!)).toContain('3 events lost');
      expect(await waiting()).toEqual([]);
    });

    it('includes an alert that another process is deferring at the same time', async () => {
      const { round } = await process();
      await queue('wh_1');
      await queue('wh_2');
      const tomorrow = new Date(clock.now().getTime() + 24 * HOUR_MS);
      const other = world.db.createQueryRunner();
      await other.startTransaction();
      await other.query(`update mail set next_at = $1 where webhook_id = 'wh_2'`, [tomorrow.toISOString().slice(0, 10)]);

      const sent = round();
      await comesTrue(async () => expect(await lockWaits(world.db)).toBe(1));
      await other.commitTransaction();
      await other.release();
      await sent;

      expect(bodyOf(server.mails[0]!)).toMatch(/wh_1: [^]*wh_2: /);
    });

    it('is retried on the same day when the relay defers it', async () => {
      const { round } = await process();
      server.refusal = { at: 'text', status: 451 };
      await queue('wh_1');
      await round();
      expect(await waiting()).toMatchObject([{ attempts: 1 }]);

      server.refusal = undefined;
      clock.passes(MINUTE_MS);
      await round();
      expect(server.mails).toHaveLength(1);
      expect(await waiting()).toEqual([]);
    });

    it('is tried for every address of a round, also when the relay defers the first', async () => {
      const { round } = await process();
      const other = { service_id: 'ser_other', share_code: 'OTHER', admin_email: 'other@acme.example' };
      await execute(
        world.db,
        sql`
        insert into service
        select other.* from service s, jsonb_populate_record(s, ${JSON.stringify(other)}::jsonb) other
         where s.service_id = ${world.service_id}`,
      );
      await queue('wh_1');
      await queue('wh_2');
      await execute(world.db, sql`update mail set service_id = 'ser_other' where webhook_id = 'wh_2'`);
      server.refusal = { at: 'recipient', status: 450 };

      await round();

      expect(await waiting()).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
      await execute(world.db, sql`delete from service where service_id = 'ser_other'`);
    });

    it('waits for the next day when a process died before recording the delivery of the digest', async () => {
      const dying = await process({
        send: (mail) =>
          theRelay()
            .send(mail)
            .then(() => new Promise<void>(() => undefined)),
      });
      const next = await process();
      await queue('wh_1');

      void dying.round();
      await comesTrue(async () => expect(server.mails).toHaveLength(1));
      await letGo();
      await next.round();
      expect(server.mails).toHaveLength(1);
      expect(await waiting()).toHaveLength(1);

      clock.passes(24 * HOUR_MS);
      await next.round();
      expect(server.mails).toHaveLength(2);
      expect(await waiting()).toEqual([]);
    });

    it('is given up on a permanent refusal, and not retried with another alert that day', async () => {
      const { round } = await process();
      server.refusal = { at: 'recipient', status: 550 };
      await queue('wh_1');
      await round();
      expect(await logged()).toMatchObject([{ kind: 'mail_given_up', webhook_id: 'wh_1' }]);

      server.refusal = undefined;
      await queue('wh_2');
      await round();
      expect(server.mails).toEqual([]);
      expect(await waiting()).toHaveLength(1);
    });

    it('is one digest over all regions', async () => {
      const us = await world.world.opensDatabase('region_us', { pool: 2 });
      const copied = { profile: world.world.acme.user_id, service: world.service_id };
      const [{ profile, service }] = (await many<{ profile: object; service: object }>(
        world.db,
        sql`
        select to_jsonb(p) as profile, to_jsonb(s) as service from profile p, service s
         where p.user_id = ${copied.profile} and s.service_id = ${copied.service}`,
      )) as [{ profile: object; service: object }];
      await execute(us, sql`insert into profile select * from jsonb_populate_record(null::profile, ${profile})`);
      await execute(us, sql`insert into service select * from jsonb_populate_record(null::service, ${service})`);
      const transmission = new Transmission(theRelay(), clock, silentLog);
      const regions = await Promise.all((['us', 'eu'] as const).map(async (region) => ({ region, db: await opens(region) })));
      const digests = new Digests({ regions, transmission, clock, isPaused: () => false });
      await queue('wh_eu');
      await us.transaction((tx) =>
        mailBacklog(tx, own('wh_us'), { host: 'h.example', enabled: true, oldest_at: null, lost: 4 }, clock.now()),
      );

      await digests.round();
      await queue('wh_eu');
      await digests.round();

      expect(server.mails).toHaveLength(1);
      expect(header(server.mails[0]!, 'Subject')).toBe('2 webhooks do not take events');
      expect(bodyOf(server.mails[0]!)).toMatch(/wh_eu: events wait[^]*wh_us: 4 events lost/);
      expect(await many(us, sql`select from mail`)).toEqual([]);
    });

    it('is sent immediately from the confirmation of the address on', async () => {
      const { round } = await process();
      await queue('wh_1');
      await round();
      await execute(world.db, sql`update service set admin_email_confirmed_at = ${clock.now()}`);
      await queue('wh_1');
      await round();

      expect(header(server.mails[1]!, 'Subject')).toContain('events are waiting for the webhook to hooks.acme.example');
    });
  });

  it('waits while writes are paused @spec D1-7', async () => {
    let isPaused = true;
    const sender = await process(undefined, () => isPaused);
    await queue('wh_1');

    await sender.round();
    expect(server.mails).toEqual([]);
    isPaused = false;
    await sender.round();
    expect(server.mails).toHaveLength(1);
  });

  it('waits while its company is moving, and remains queued if the move began during the sending @gap D1-5.6', async () => {
    const sender = await process();
    const home = (state: string) => execute(world.db, sql`update profile set home = ${state} where user_id = ${world.world.acme.user_id}`);
    await queue('wh_1');
    await home('leaving');
    await sender.round();
    expect(server.mails).toEqual([]);
    await home('here');

    server.delayMs = 300;
    const round = sender.round();
    await comesTrue(async () => expect(await waiting()).toMatchObject([{ attempts: 1 }]));
    await home('leaving');
    await round;

    expect(server.mails).toHaveLength(1);
    expect(await waiting()).toHaveLength(1);
    await home('here');
  });

  it('is left for a later version when its kind is unknown', async () => {
    const sender = await process();
    await queue('wh_1');
    await execute(world.db, sql`update mail set kind = 'of_later'`);
    clock.passes(72 * HOUR_MS);

    await sender.round();

    expect(await waiting()).toMatchObject([{ kind: 'of_later', attempts: 0 }]);
  });
});
