import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { selfSignedCertificate } from '@codase/testing';
import { ROLES } from '../../../src/index.ts';
import { Relay } from '../../../src/services/mail/index.ts';
import { relayAddress } from '../../../src/access/account-mail/relay-address.ts';
import { MailServer } from './mail-server.ts';

const MAIL = {
  id: 'mail_1',
  to: 'admin@acme.example',
  at: new Date('2026-03-10T12:00:00Z'),
  subject: 'About a webhook',
  text: 'It is so.\n',
};
const FROM = 'platform@codase.example';
const PASSWORD = 'the password';

describe('sending through the mail relay', () => {
  const { key, cert } = selfSignedCertificate();
  const opened: MailServer[] = [];
  const open = async (options?: Parameters<typeof MailServer.open>[0]) => {
    opened.push(await MailServer.open(options));
    return opened.at(-1)!;
  };
  afterEach(() => Promise.all(opened.splice(0).map((server) => server.goesDown())));

  /** The settings for a relay that is not on this machine. */
  const afar = ({ url }: MailServer) => ({ ...relayAddress(url), requireTLS: true, ignoreTLS: false, tls: { ca: cert } });
  const onlyWithPassword = {
    onAuth: (
      { username, password }: { username?: string | undefined; password?: string | null | undefined },
      _session: unknown,
      done: (error: Error | null, answer?: { user?: string }) => void,
    ) => (password === PASSWORD ? done(null, { user: username! }) : done(new Error('wrong'))),
  };

  it('is unencrypted to the local host', async () => {
    const server = await open();

    await new Relay(relayAddress(server.url), FROM).send(MAIL);

    expect(server.mails).toMatchObject([{ from: FROM, to: [MAIL.to], isSecure: false }]);
  });

  it.each([
    ['by STARTTLS', { key, cert, authOptional: true }],
    ['from the first byte', { key, cert, secure: true, authOptional: true }],
  ])('is encrypted %s', async (_, options) => {
    const server = await open(options);

    await new Relay(afar(server), FROM).send(MAIL);

    expect(server.mails).toMatchObject([{ isSecure: true }]);
  });

  it('is aborted before any mail data when the relay has no TLS', async () => {
    const server = await open();
    const relay = new Relay(afar(server), FROM);

    await expect(relay.send(MAIL)).rejects.toMatchObject({ code: 'ETLS' });
    expect(server.mails).toEqual([]);
    expect(relay.note).toEqual({ note: expect.stringContaining('ETLS') });
  });

  it.each([
    ['by STARTTLS', {}],
    ['from the first byte', { secure: true }],
  ])("is aborted when the relay's certificate is not trusted, %s", async (_, options) => {
    const server = await open({ ...selfSignedCertificate(), authOptional: true, ...options });

    await expect(new Relay(afar(server), FROM).send(MAIL)).rejects.toMatchObject({ code: expect.stringMatching(/^E(TLS|SOCKET)$/) });
    expect(server.mails).toEqual([]);
  });

  it('authenticates with the user and password of MAIL_URL', async () => {
    const server = await open({ key, cert, secure: true, ...onlyWithPassword });
    const relay = (password: string) =>
      new Relay({ ...afar(server), ...pick(relayAddress(server.url.replace('//', '//us@'), password)) }, FROM);

    await expect(relay('a guess').send(MAIL)).rejects.toMatchObject({ code: 'EAUTH', responseCode: 535 });
    await relay(PASSWORD).send(MAIL);

    expect(server.mails).toMatchObject([{ user: 'us' }]);
  });

  it('fails when a password is configured and the relay does not offer authentication', async () => {
    const server = await open();

    await expect(new Relay(relayAddress(server.url.replace('//', '//us:pw@')), FROM).send(MAIL)).rejects.toMatchObject({ code: 'EAUTH' });
    expect(server.mails).toEqual([]);
  });

  it('reports the latest failure until a mail is accepted', async () => {
    const server = await open();
    const relay = new Relay(relayAddress(server.url), FROM);
    expect(relay.note).toBeNull();
    await server.goesDown();
    await expect(relay.send(MAIL)).rejects.toThrow('ECONNREFUSED');
    expect(relay.note).toEqual({ note: 'the mail relay did not take the latest mail (ESOCKET)' });
    await server.comesUp();

    await relay.send(MAIL);

    expect(relay.note).toBeNull();
  });

  it('times out when the relay does not answer', async () => {
    const mute = createServer(() => undefined);
    await once(mute.listen(0, '127.0.0.1'), 'listening');
    const relay = new Relay(relayAddress(`smtp://127.0.0.1:${(mute.address() as AddressInfo).port}`), FROM);

    await expect(relay.send(MAIL)).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    mute.close();
  });
});

describe('the mail relay configuration', () => {
  const REST = {
    OPS_PORT: '0',
    NATS_URL: 'nats://127.0.0.1:1',
    CONNECT_SECONDS: '0',
    DATABASES: '{}',
    STORED_SECRETS_KEYS: '{}',
    WEBHOOK_SIGNING_KEYS: '{}',
  };

  it.each([
    ['without a sender', { MAIL_URL: 'smtps://mail.example' }, 'MAIL_FROM: not set; give the address'],
    ['with a sender that is none', { MAIL_URL: 'smtps://mail.example', MAIL_FROM: 'platform' }, 'MAIL_FROM: an e-mail address'],
    [
      'with a user and no password',
      { MAIL_URL: 'smtps://us@mail.example', MAIL_FROM: FROM },
      'MAIL_PASSWORD: not set; MAIL_URL names a user',
    ],
    ['with another protocol', { MAIL_URL: 'http://mail.example', MAIL_FROM: FROM }, 'MAIL_URL: a URL such as smtps://'],
    [
      'with a password that is not encoded',
      { MAIL_URL: 'smtps://us:100%@mail.example', MAIL_FROM: FROM },
      'MAIL_URL: a URL whose user and password are percent-encoded',
    ],
  ])('%s is refused at startup', async (_, env, fault) => {
    await expect(async () => ROLES.delivery.start({ ...REST, ...env }, '')).rejects.toThrow(fault);
  });
});

const pick = ({ auth, forceAuth }: ReturnType<typeof relayAddress>) => ({ ...(auth && { auth }), forceAuth });
