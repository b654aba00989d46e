import { externalInfra } from './external.ts';

describe('servers that the caller provides', () => {
  it('are configured by their URLs, independently of each other', () => {
    const [databaseUrl, natsUrl] = ['postgresql://u:p@db:5432/postgres', 'nats://u:p@bus:4222'];

    expect(externalInfra({ DATABASE_URL: databaseUrl, NATS_URL: '' })).toEqual({ databaseUrl });
    expect(externalInfra({ NATS_URL: natsUrl })).toEqual({ natsUrl });
  });

  it('are refused with an example when a URL is of the wrong kind, without printing its password', () => {
    const wrong = () => externalInfra({ DATABASE_URL: 'mysql://u:secret@db/x' });

    expect(wrong).toThrow('DATABASE_URL is not a URL of the right kind. Give one such as postgres://user:password@host:5432/postgres');
    expect(wrong).not.toThrow('secret');
    expect(() => externalInfra({ NATS_URL: 'bus:4222' })).toThrow('NATS_URL is not a URL of the right kind');
  });
});
