import { clearTextFaults } from './clear-text.ts';

const faultsOf = (config: object) =>
  clearTextFaults({ NODE_ENV: 'production', NATS_URL: 'tls://bus.example:4222', ...config } as Parameters<typeof clearTextFaults>[0]);

describe('the check for unencrypted connections', () => {
  it.each([
    ['the bus beyond this machine', { NATS_URL: 'nats://bus.example:4222' }, 'NATS_URL'],
    ['a host that only begins like loopback', { NATS_URL: 'nats://127.0.0.1.example:4222' }, 'NATS_URL'],
    ['one node of a cluster beyond this machine', { NATS_URL: 'nats://127.0.0.1:4222,nats://bus-1.example:4222' }, 'NATS_URL'],
    ['certificates beside an address without TLS', { NATS_URL: 'nats://127.0.0.1:4222', NATS_CA: 'pem' }, 'NATS_URL'],
    ['a certificate without its key', { NATS_CERT: 'pem' }, 'NATS_CERT, NATS_KEY'],
    ['a database beyond this machine', { DATABASE_URL: 'postgres://u@db.example/x' }, 'DATABASE_URL'],
    ['a database named in the query', { DATABASE_URL: 'postgres://u@127.0.0.1/x?host=db.example' }, 'DATABASE_URL'],
    ['encryption switched off', { DATABASE_URL: 'postgres://u@db.example/x?sslmode=disable', DATABASE_CA: 'pem' }, 'DATABASE_URL'],
    ['encryption if the server likes', { DATABASE_URL: 'postgres://u@db.example/x?sslmode=prefer' }, 'DATABASE_URL'],
    ['a certificate nobody checks', { DATABASE_URL: 'postgres://u@127.0.0.1/x?sslmode=no-verify' }, 'DATABASE_URL'],
    ['one of several databases', { DATABASES: { eu: { url: 'postgres://u@db.example/x' } } }, 'DATABASES: eu'],
  ])('refuses %s', (_, config, variable) => {
    expect(faultsOf(config)).toEqual([expect.stringMatching(new RegExp(`^${variable}: `))]);
  });

  it.each([
    ['TLS everywhere', { DATABASE_URL: 'postgres://u@db.example/x?sslmode=verify-full' }],
    ['a CA of its own', { DATABASE_URL: 'postgres://u@db.example/x', DATABASE_CA: 'pem' }],
    ['servers of this machine', { NATS_URL: 'nats://localhost:4222', DATABASE_URL: 'postgres://u@[::1]:5432/x' }],
    ['a socket of this machine', { DATABASE_URL: 'postgres://u@localhost/x?host=/run/postgresql' }],
    ['development', { NODE_ENV: 'development', NATS_URL: 'nats://bus:4222', DATABASE_URL: 'postgres://u@db/x' }],
  ])('accepts %s', (_, config) => {
    expect(faultsOf(config)).toEqual([]);
  });
});
