import { loginFrom } from './bus.ts';

describe('the bus that the environment names', () => {
  it('may be a cluster, with the user in any of its URLs', () => {
    const NATS_URL = 'tls://a:4222, tls://ops:p%40ss@b:4222,tls://other:x@c:4222';

    expect(loginFrom({ NATS_URL, NATS_PASSWORD: 'unused' }, 'suite-operator')).toMatchObject({
      url: 'tls://a:4222,tls://b:4222,tls://c:4222',
      user: 'ops',
      password: 'p@ss',
    });
  });

  it('has the user and the password of their variables when no URL has them', () => {
    const env = { NATS_URL: 'tls://a:4222,tls://b:4222', NATS_PASSWORD: 'secret' };

    expect(loginFrom(env, 'suite-operator')).toMatchObject({ url: env.NATS_URL, user: 'suite-operator', password: 'secret' });
    expect(loginFrom({ ...env, NATS_USER: 'ops' }, 'suite-operator')).toMatchObject({ user: 'ops' });
  });
});
