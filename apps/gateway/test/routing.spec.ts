import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { companyData, Refusal } from '@cds/contracts';
import { ManualClock } from '@cds/runtime/clock';
import { RoutingService } from '../src/routing/routing.service.ts';
import { TokensService } from '../src/tokens/tokens.service.ts';

/** A platform of one's own making: it counts, and answers as told. */
class Platform {
  tokens = 0;
  asked: string[] = [];
  onData: (request: IncomingMessage) => object = () => ({ company_user_id: 'acme', service_id: 'shop' });
  private constructor(private readonly server: Server) {}

  static async open(): Promise<Platform> {
    const server = createServer().listen(0, '127.0.0.1');
    const platform = new Platform(server);
    server.on('request', (request, response) => {
      const answer = (status: number, body: object) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (request.url === '/oauth2/token') return answer(200, { token_type: 'Bearer', expires_in: 3600, access_token: `token-${++platform.tokens}`, api_url: platform.url });
      platform.asked.push(request.headers.authorization ?? '');
      const body = platform.onData(request);
      return body instanceof Refusal ? answer(body.status, body.toBody()) : answer(200, body);
    });
    await once(server, 'listening');
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('routing @spec D1-5.4 @spec D1-5.6', () => {
  let home: Platform;
  let elsewhere: Platform;
  let clock: ManualClock;
  let routing: RoutingService;
  beforeEach(async () => {
    home = await Platform.open();
    elsewhere = await Platform.open();
    clock = new ManualClock();
    routing = new RoutingService(new TokensService({ shop: { client_id: 'svc_1', client_secret: 's' } }, home.url, clock));
  });
  afterEach(() => {
    home.close();
    elsewhere.close();
  });
  const whoami = () => routing.call('shop', companyData.whoami, {});
  const moved = () => new Refusal('region.rebase_required', { api_url: elsewhere.url });

  it('asks for one token, however many calls come at once', async () => {
    await Promise.all(Array.from({ length: 20 }, whoami));
    await whoami();

    expect(home.tokens).toBe(1);
    expect(home.asked).toHaveLength(21);
  });

  it('renews before the token expires, not after', async () => {
    await whoami();
    clock.passes(53 * 60_000);
    await whoami();
    expect(home.tokens).toBe(1);

    clock.passes(2 * 60_000);
    await whoami();
    expect(home.tokens).toBe(2);
  });

  it('asks again at the base a 421 names, and goes there at once from then on', async () => {
    home.onData = moved;

    await whoami();
    await whoami();

    expect(home.asked).toHaveLength(1);
    expect(elsewhere.asked).toHaveLength(2);
    expect(home.tokens).toBe(1);
  });

  it('takes a second 421 for an error, not a loop', async () => {
    home.onData = moved;
    elsewhere.onData = () => new Refusal('region.rebase_required', { api_url: home.url });

    await expect(whoami()).rejects.toMatchObject({ key: 'region.rebase_required' });
    expect(home.asked.length + elsewhere.asked.length).toBe(2);
  });

  it('replaces a refused token once', async () => {
    home.onData = ({ headers }) => (headers.authorization === 'Bearer token-1' ? new Refusal('auth.token_invalid') : { company_user_id: 'acme', service_id: 'shop' });
    expect(await whoami()).toMatchObject({ service_id: 'shop' });

    home.onData = () => new Refusal('auth.token_invalid');
    await expect(whoami()).rejects.toMatchObject({ key: 'auth.token_invalid' });
    expect(home.tokens).toBe(3);
  });
});
