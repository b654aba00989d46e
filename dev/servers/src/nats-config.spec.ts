import { natsConfigFile, type NatsConfig, type NatsUser } from './nats-config.ts';

const listen = { name: 'n', host: '127.0.0.1', port: 4333, store_dir: '/streams', durable: true };
type File = Record<string, Record<string, unknown>>;
const file = (config: NatsConfig, durable = true) => JSON.parse(natsConfigFile(config, { ...listen, durable })) as File;
const withUser = (user: NatsUser): NatsConfig => ({ accounts: { A: { users: [user] } } });

describe('the nats-server configuration', () => {
  it('sets the listen address, and syncs every write to disk only when it is durable', () => {
    expect(file({ accounts: {} })).toMatchObject({
      listen: '127.0.0.1:4333',
      max_payload: 1_048_576,
      authorization: { timeout: 60 },
      jetstream: { store_dir: '/streams', sync_interval: 'always' },
    });
    const { jetstream } = file({ accounts: {} }, false);
    expect(jetstream).not.toHaveProperty('sync_interval');
    expect(jetstream).toHaveProperty('max_file_store', 1024 ** 4);
  });

  it('grants a user the listed subjects; without a list all subjects, with an empty list none', () => {
    const { accounts } = file(withUser({ user: 'u', password: 'p', publish: ['a.>'], subscribe: [], allow_responses: true }));
    const permissions = { publish: { allow: ['a.>'] }, subscribe: { deny: ['>'] }, allow_responses: true };

    expect(accounts).toEqual({ A: { jetstream: 'disabled', users: [{ user: 'u', password: 'p', permissions }] } });
    expect(file(withUser({ user: 'u', password: 'p' })).accounts).toEqual({
      A: { jetstream: 'disabled', users: [{ user: 'u', password: 'p', permissions: {} }] },
    });
  });

  it('lets an account export a service to another account', () => {
    const [exports, imports] = [[{ service: 'open' }], [{ service: { account: 'A', subject: 'open' }, to: 'open' }]];
    const { accounts } = file({ accounts: { A: { users: [], exports }, B: { users: [], imports, mappings: { ask: 'open' } } } });

    expect(accounts).toMatchObject({ A: { exports }, B: { imports, mappings: { ask: 'open' } } });
  });

  const misread = ['', 'pass word', 'quo"te', 'back\\slash', 'ümlaut', '$2a$11$looks.like.bcrypt'];
  it.each(misread)('refuses the password %j, which the server would misread', (password) => {
    expect(() => file(withUser({ user: 'u', password }))).toThrow('The password of u cannot be written into a nats-server configuration');
  });
});
