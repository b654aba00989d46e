import { services } from '@codase/contracts';
import { comesTrue, Marks } from '@codase/testing';
import { DeliveryWorld } from '../webhooks/delivery-world.ts';
import { bodyOf, header, MailServer } from './mail-server.ts';

const ADMIN = 'alerts@acme.example';
/** A secret in the path of the webhook's address, where an address may carry one. */
const HOOK_SECRET = 'the-marked-hook-secret-4711';
const PERSON = 'user_marked_person_4711';

describe('a mailed backlog alert @spec D1-6.3', () => {
  let world: DeliveryWorld;
  let server: MailServer;
  beforeAll(async () => {
    server = await MailServer.open();
    world = await DeliveryWorld.open({ units: ['front-door', 'region-eu'] });
    await world.world.starts('delivery', { MAIL_URL: server.url, MAIL_FROM: 'platform@codase.example' });
    await world.asks(services.changeAdminEmail, { params: { id: world.service_id }, body: { admin_email: ADMIN } });
    await confirms();
  });
  afterAll(async () => {
    await world?.close();
    await server?.goesDown();
  });

  /** Confirms the address with the code, which is in a mail to that address and nowhere else. */
  const confirms = async () => {
    await came(1);
    expect(newest()).toMatchObject({ to: [ADMIN] });
    const code = bodyOf(newest()).match(/^ {4}(\w{8})$/m)![1]!;
    const service = await world.asks(services.confirmAdminEmail, { params: { id: world.service_id }, body: { code } });
    expect(service.admin_email_confirmed).toBe(true);
    server.mails.splice(0);
  };
  const came = (mails: number) => comesTrue(async () => expect(server.mails).toHaveLength(mails));
  const newest = () => server.mails.at(-1)!;
  const logged = async (kind: string) =>
    ((await world.db.query('select from service_log where service_id = $1 and kind = $2', [world.service_id, kind])) as unknown[]).length;

  it('is sent daily after two days, hourly after five, and once more when events are deleted after seven @spec D1-8', async () => {
    const receiver = await world.receiver();
    receiver.answer({ status: 500 });
    const { host } = new URL(receiver.url);
    const hook = await world.hook({ url: `${receiver.url}${HOOK_SECRET}` });
    await world.connect(PERSON);
    await comesTrue(async () => expect((await world.read(hook)).health.state).toBe('bad'));

    await world.passes({ days: 2 });
    await came(1);
    expect(newest()).toMatchObject({ from: 'platform@codase.example', to: [ADMIN] });
    expect(header(newest(), 'Subject')).toMatch(new RegExp(`: events are waiting for the webhook to ${host}$`));
    expect(bodyOf(newest())).toContain('for 2 days. What has waited 7 days is lost');
    expect(bodyOf(newest())).toContain(hook.id);

    await world.passes({ days: 1 });
    await came(2);
    await world.passes({ days: 2 });
    await came(3);
    await world.passes({ hours: 1 });
    await came(4);
    expect(bodyOf(newest())).toContain('for 5 days');
    expect(await logged('webhook_stale')).toBe(4);

    await world.passes({ days: 2 });
    await came(5);
    expect(header(newest(), 'Subject')).toContain('1 event lost');
    expect(bodyOf(newest())).toContain('Nothing else waits.');
    expect(await logged('webhook_purged')).toBe(1);
    await comesTrue(async () => expect(await world.db.query('select from mail')).toEqual([]));
  });

  it('has its own Message-ID and is marked as auto-generated', () => {
    expect(new Set(server.mails.map((mail) => header(mail, 'Message-ID'))).size).toBe(server.mails.length);
    expect(header(newest(), 'Message-ID')).toMatch(/^<mail_[A-Za-z0-9]{24}@codase\.example>$/);
    expect(header(newest(), 'Auto-Submitted')).toBe('auto-generated');
  });

  it('contains no personal data and no secret', async () => {
    const marks = new Marks({ person: PERSON, 'path of the address': HOOK_SECRET });

    expect(server.mails).toHaveLength(5);
    for (const mail of server.mails) expect(marks.foundIn(mail.raw + bodyOf(mail))).toEqual([]);
  });
});

describe('a backlog alert without a configured mail relay @spec D1-6.3', () => {
  let world: DeliveryWorld;
  beforeAll(async () => {
    world = await DeliveryWorld.open();
  });
  afterAll(() => world?.close());

  it("is only in the service's log, and readiness reports that there is no relay", async () => {
    const receiver = await world.receiver();
    receiver.answer({ status: 500 });
    const hook = await world.hook(receiver);
    await world.connect(PERSON);
    await comesTrue(async () => expect((await world.read(hook)).health.state).toBe('bad'));
    await world.passes({ days: 2 });

    await comesTrue(async () => expect(await world.logOf(hook)).toContainEqual(expect.objectContaining({ kind: 'webhook_stale' })));
    await comesTrue(async () => expect(await world.db.query('select from mail')).toEqual([]));
    const { ready, checks } = (await (await fetch(`${world.world.opsUrl('delivery')}/readyz`)).json()) as {
      ready: boolean;
      checks: Record<string, string>;
    };
    expect(ready).toBe(true);
    expect(checks['mail']).toBe('ok, but without MAIL_URL nobody gets a mail; alerts are in the logs of services alone');
  });
});
