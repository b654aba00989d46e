import { loginFrom } from './bus.ts';

describe('bus login from the environment', () => {
  it('accepts several server URLs, with the user in any of them', () => {
    const NATS_URL = 'tls://a:4222, tls://ops:p%40ss@b:4222,tls://other:x@c:4222';

    expect(loginFrom({ NATS_URL, NATS_PASSWORD: 'unused' }, 'suite-operator')).toMatchObject({
      url: 'tls://a:4222,tls://b:4222,tls://c:4222',
      user: 'ops',
      password: 'p@ss',
    });
  });

  it('takes user and password from NATS_USER and NATS_PASSWORD when no URL has them', () => {
    const env = { NATS_URL: 'tls://a:4222,tls://b:4222', NATS_PASSWORD: 'secret' };

    expect(loginFrom(env, 'suite-operator')).toMatchObject({ url: env.NATS_URL, user: 'suite-operator', password: 'secret' });
    expect(loginFrom({ ...env, NATS_USER: 'ops' }, 'suite-operator')).toMatchObject({ user: 'ops' });
  });
});
