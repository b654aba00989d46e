import { relayAddress } from './relay-address.ts';

const IN_CLEAR = { secure: false, requireTLS: false, ignoreTLS: true, forceAuth: false };
const UPGRADED = { secure: false, requireTLS: true, ignoreTLS: false, forceAuth: false };
const SECURE = { secure: true, requireTLS: true, ignoreTLS: false, forceAuth: false };

describe('relayAddress', () => {
  it.each([
    ['smtps://mail.example', { host: 'mail.example', port: 465, ...SECURE }],
    ['smtps://mail.example:4650', { host: 'mail.example', port: 4650, ...SECURE }],
    ['smtps://127.0.0.1:465', { host: '127.0.0.1', port: 465, ...SECURE }],
    ['smtp://mail.example', { host: 'mail.example', port: 587, ...UPGRADED }],
    ['smtp://10.0.0.7:25', { host: '10.0.0.7', port: 25, ...UPGRADED }],
    ['smtp://localhost.example:25', { host: 'localhost.example', port: 25, ...UPGRADED }],
    ['smtp://127.0.0.1.example:25', { host: '127.0.0.1.example', port: 25, ...UPGRADED }],
    ['smtp://localhost:25', { host: 'localhost', port: 25, ...IN_CLEAR }],
    ['smtp://127.0.0.1:2525', { host: '127.0.0.1', port: 2525, ...IN_CLEAR }],
    ['smtp://[::1]:2525', { host: '::1', port: 2525, ...IN_CLEAR }],
  ])('reads host, port and TLS options from %s', (url, address) => {
    expect(relayAddress(url)).toEqual(address);
  });

  it('reads user and password from the URL, or the password from its own setting', () => {
    expect(relayAddress('smtps://us%40acme:p%2Fw@mail.example')).toMatchObject({ auth: { user: 'us@acme', pass: 'p/w' }, forceAuth: true });
    expect(relayAddress('smtps://us@mail.example', 'of its own')).toMatchObject({ auth: { user: 'us', pass: 'of its own' } });
  });
});
