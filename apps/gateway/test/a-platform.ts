import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { RATE_LIMITS, Refusal } from '@codase/contracts';
import type { Clock } from '@codase/runtime/clock';
import { LiveVariable } from '@codase/runtime/config';
import { silentLog } from '@codase/runtime/telemetry';
import type { Settings } from '../src/config.ts';
import { LimitsService } from '../src/limits/limits.service.ts';
import { ApiHosts } from '../src/routing/api-hosts.ts';
import { BasesService } from '../src/routing/bases.service.ts';
import { RetryingCaller } from '../src/routing/retrying-caller.service.ts';
import { RoutingService } from '../src/routing/routing.service.ts';
import { TokensService } from '../src/tokens/tokens.service.ts';

export const WHOAMI = { company_user_id: 'acme', service_id: 'shop' };

type Answer = object | Refusal;

/** A stand-in for the platform, which counts requests and answers as the test says. */
export class Platform {
  tokens = 0;
  /** The authorization headers of the requests for data. */
  requests: string[] = [];
  onToken: (body: string) => Answer = () => ({
    token_type: 'Bearer',
    expires_in: 3600,
    access_token: `token-${this.tokens}`,
    api_url: this.home ?? this.url,
  });
  /** Returns the answer; undefined when it has sent one itself. */
  onData: (request: IncomingMessage, response: ServerResponse) => Answer | undefined = () => WHOAMI;
  /** The base that tokens are valid for; by default this platform. */
  home: string | undefined;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Platform> {
    const server = createServer().listen(0, '127.0.0.1');
    const platform = new Platform(server);
    server.on('request', (request, response) => void platform.answer(request, response));
    await once(server, 'listening');
    return platform;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/oauth2/token') {
      this.tokens += 1;
      return send(response, this.onToken(await text(request)));
    }
    this.requests.push(request.headers.authorization ?? '');
    const answer = this.onData(request, response);
    if (answer) send(response, answer);
  }
}

function send(response: ServerResponse, answer: Answer): void {
  const refusal = answer instanceof Refusal ? answer : undefined;
  const headers = {
    'content-type': 'application/json',
    ...(refusal?.retryAfter !== undefined && { 'retry-after': String(refusal.retryAfter) }),
  };
  response.writeHead(refusal?.status ?? 200, headers).end(JSON.stringify(refusal?.toBody() ?? answer));
}

const GENEROUS = { burst: 10_000, per_second: 10_000 };
export const NO_LIMITS: Settings['limits'] = {
  token: GENEROUS,
  sign_in_wait: GENEROUS,
  connections: GENEROUS,
  changes: GENEROUS,
  data: GENEROUS,
  challenge_poll: GENEROUS,
  connect_requests: GENEROUS,
  delegates: GENEROUS,
  messages: GENEROUS,
  plugin_calls: GENEROUS,
  verify: GENEROUS,
  verification: GENEROUS,
  transparency: GENEROUS,
  refused_token: GENEROUS,
} satisfies Record<keyof typeof RATE_LIMITS, object>;

/** The signal of a gateway that does not shut down. */
export const NEVER = new AbortController().signal;

/** The gateway's own parts, put together by hand, with the credentials of one service. */
export function routingTo(
  frontDoorUrl: string,
  clock: Clock,
  given: Partial<Settings> = {},
  retries = new RetryingCaller(new BasesService(), NEVER),
): RoutingService {
  const clients = new Map([['shop', { name: 'shop', kind: 'service' as const }]]);
  const credentials = { service: new LiveVariable({ shop: { client_id: 'svc_1', client_secret: 's' } }), account: new LiveVariable({}) };
  const settings: Settings = {
    frontDoorUrl,
    hosts: new ApiHosts(frontDoorUrl),
    clients,
    credentials,
    http: undefined,
    callers: {},
    limits: NO_LIMITS,
    queue: 2000,
    ...given,
  };
  const limits = new LimitsService(settings, NEVER);
  return new RoutingService(settings, clock, new TokensService(settings, clock, silentLog, limits, retries), limits, retries);
}
