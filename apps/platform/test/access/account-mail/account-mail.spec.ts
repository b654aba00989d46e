import { identity, KEY_WRAP } from '@codase/contracts';
import { ManualClock } from '@codase/runtime/clock';
import { silentLog } from '@codase/runtime/telemetry';
import { comesTrue, World } from '@codase/testing';
import { SERVICE_KEYS } from '@codase/testing/keys';
import { AccountMailStore, Relay } from '../../../src/access/account-mail/index.ts';
import { AccountMailWorker } from '../../../src/access/account-mail/account-mail.worker.ts';
import { relayAddress } from '../../../src/access/account-mail/relay-address.ts';
import { frontDoorDatabase } from '../clients/account-clients-database.ts';
import { bodyOf, header, MailServer } from '../../services/mail/mail-server.ts';

describe('mails of the front door through a relay @gap D1-5', () => {
  let world: World;
  let server: MailServer;
  beforeAll(async () => {
    server = await MailServer.open();
    world = await World.open({ units: ['region-eu'] });
    await world.starts('front-door', { MAIL_URL: server.url, MAIL_FROM: 'platform@codase.example' });
  });
  afterAll(async () => {
    await world?.close();
    await server?.goesDown();
  });

  it('deliver the confirmation code of a sign-up, which is not exposed elsewhere', async () => {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const keys = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: KEY_WRAP.iterations } };
    const wanted = { type: 'person', password: 'a horse that nobody knows', display_name: 'Somebody', region: 'eu', ...keys } as const;
    const { sign_up_id: signUpId } = await world.stranger.asks(identity.signUp, { body: { ...wanted, email: 'new@world.example' } });

    await comesTrue(async () => expect(server.mails).toHaveLength(1));
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: 'platform@codase.example', to: ['new@world.example'] });
    const code = /^ {4}(\w{8})$/m.exec(bodyOf(mail!))![1]!;
    expect(header(mail!, 'subject')).toBe(`${code} is your code`);
    await expect(world.mails()).rejects.toMatchObject({ key: 'request.invalid' });
    expect(await world.stranger.asks(identity.confirmSignUp, { params: { signUpId }, body: { code } })).toMatchObject({ region: 'eu' });
  });

  it.each(['recipient', 'text'] as const)('are sent in the same round in which the relay defers another mail by its %s', async (at) => {
    const db = await frontDoorDatabase(world);
    const store = new AccountMailStore(db);
    // The front door of the world does not see these mails: they are due later by its clock.
    const clock = new ManualClock(new Date(world.now.getTime() + 24 * 3600_000));
    const worker = new AccountMailWorker(store, new Relay(relayAddress(server.url), 'platform@codase.example'), clock, silentLog);
    const [busy, free] = [`busy-${at}@world.example`, `free-${at}@world.example`];
    const expires_at = new Date(clock.now().getTime() + 3600_000);
    for (const recipient of [busy, free]) {
      await store.write(db, recipient, { kind: 'confirm_deletion', facts: { code: 'AB23CD45' } }, clock.now(), expires_at);
      clock.passes(1);
    }
    server.refusal = { at, status: 450, to: busy };

    await worker['round']();

    expect(server.mails.at(-1)).toMatchObject({ to: [free] });
    expect(await store.waiting()).toMatchObject([{ recipient: busy, attempts: 1 }]);
    server.refusal = undefined;
    await store.deleteTo(db, busy);
    await db.destroy();
  });
});
