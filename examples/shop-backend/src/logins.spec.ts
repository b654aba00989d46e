import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CodaseClient, ChallengeOptions, ChallengeRequest, LoginResult } from '@codase/client';
import { Refusal } from '@codase/contracts';
import { loginRoutes } from './login-routes.ts';
import { Logins } from './logins.ts';

/** The part of the client that a login uses. The test says how the login ends. */
class Phone {
  readonly requests: ChallengeRequest[] = [];
  answer: (result: Pick<LoginResult, 'approved' | 'status'>) => void = () => undefined;

  get codase(): CodaseClient {
    const challenge = (request: ChallengeRequest, { onRaised }: ChallengeOptions = {}) => {
      if (request.share_code === 'NOBODY') return Promise.reject(new Refusal('twofa.not_enrolled'));
      this.requests.push(request);
      const result: LoginResult = { approved: true, status: 'approved', challenge_id: 'chal_2' };
      if (request.share_code === 'QUICK') return Promise.resolve(result);
      onRaised?.({ challenge_id: 'chal_1', expires_at: '2026-03-02T10:05:00.000Z', matching_digits: '42' });
      return new Promise<LoginResult>((resolve) => (this.answer = (result) => resolve({ ...result, challenge_id: 'chal_1' })));
    };
    return { challenge } as unknown as CodaseClient;
  }
}

describe('the login of the shop', () => {
  let server: Server;
  let phone: Phone;
  let url: string;
  beforeEach(async () => {
    phone = new Phone();
    const routes = loginRoutes(new Logins(phone.codase));
    server = createServer((request, response) => {
      if (!routes(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => server.close());

  const begins = async (body: unknown) => {
    const answer = await fetch(`${url}/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, ...((await answer.json()) as { login?: string }) };
  };
  const enters = async (login: string) => {
    const answer = await fetch(`${url}/account`, { headers: { authorization: `Bearer ${login}` } });
    return [answer.status, await answer.json()];
  };

  it('shows the digits at once, and lets the customer in when the phone approves', async () => {
    const begun = await begins({ share_code: 'ANA' });
    expect(begun).toMatchObject({ status: 202, matching_digits: '42' });
    expect(phone.requests).toMatchObject([{ share_code: 'ANA', context: 'Sign-in to the shop from 127.0.0.1', key: begun.login }]);

    const entering = enters(begun.login!);
    phone.answer({ approved: true, status: 'approved' });

    expect(await entering).toEqual([200, { account: 'yours' }]);
  });

  it.each(['denied', 'expired', 'lost', 'unanswered'] as const)('refuses the customer when it is %s', async (status) => {
    const { login } = await begins({ share_code: 'ANA' });
    phone.answer({ approved: false, status });

    expect(await enters(login!)).toEqual([403, { approved: false, status }]);
  });

  it('begins without digits when the person answers before the challenge is known to be raised', async () => {
    const begun = await begins({ share_code: 'QUICK' });

    expect(begun).toEqual({ status: 202, login: phone.requests[0]!.key });
    expect(await enters(begun.login!)).toEqual([200, { account: 'yours' }]);
  });

  it('refuses a caller without a login, or with one that could not begin', async () => {
    expect(await enters('login-of-nobody')).toEqual([401, { approved: false, status: 'unknown' }]);
    expect(await begins({ share_code: 'NOBODY' })).toEqual({ status: 404, error_key: 'twofa.not_enrolled' });
    expect(await begins({ share_code: 7 })).toMatchObject({ status: 400 });
  });
});
