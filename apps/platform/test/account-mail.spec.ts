import { identity, KEY_WRAP } from '@cds/contracts';
import { comesTrue, World } from '@cds/testing';
import { SERVICE_KEYS } from '@cds/testing/keys';
import { bodyOf, header, MailServer } from './mail-server.ts';

describe('mails of the front door, with a relay @gap D1-5', () => {
  let world: World;
  let server: MailServer;
  beforeAll(async () => {
    server = await MailServer.open();
    world = await World.open({ units: ['region-eu'] });
    await world.starts('front-door', { MAIL_URL: server.url, MAIL_FROM: 'platform@cds.example' });
  });
  afterAll(async () => {
    await world?.close();
    await server?.goesDown();
  });

  it('bring the code that confirms an address, and are shown to nobody else', async () => {
    const { public_key, encrypted_private_key } = SERVICE_KEYS[2];
    const keys = { public_key, encrypted_private_key: { ...encrypted_private_key, iter: KEY_WRAP.iterations } };
    const wanted = { type: 'person', password: 'a horse that nobody knows', display_name: 'Somebody', region: 'eu', ...keys } as const;
    const { sign_up_id: signUpId } = await world.stranger.asks(identity.signUp, { body: { ...wanted, email: 'new@world.example' } });

    await comesTrue(async () => expect(server.mails).toHaveLength(1));
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: 'platform@cds.example', to: ['new@world.example'] });
    const code = /^ {4}(\w{8})$/m.exec(bodyOf(mail!))![1]!;
    expect(header(mail!, 'subject')).toBe(`${code} is your code`);
    await expect(world.mails()).rejects.toMatchObject({ key: 'request.invalid' });
    expect(await world.stranger.asks(identity.confirmSignUp, { params: { signUpId }, body: { code } })).toMatchObject({ region: 'eu' });
  });
});
