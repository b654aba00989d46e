import { Inject, Injectable } from '@nestjs/common';
import { isIdempotent, Refusal, type Endpoint, type Output, type Request } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { ApiClient, type ApiClientOptions } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import { AnswerCache } from '../cache/answer-cache.ts';
import { SETTINGS, type Client, type Settings } from '../config.ts';
import { LimitsService } from '../limits/limits.service.ts';
import type { CachedToken } from '../tokens/cached-token.ts';
import { TokensService } from '../tokens/tokens.service.ts';
import { Deadline } from './deadline.ts';
import { RetryingCaller } from './retrying-caller.service.ts';
import { METRICS } from '../metrics.ts';

/** The caller of a request, and how long it waits. */
interface CallOptions {
  by?: string | undefined;
  withinMs?: number | undefined;
  /** The longest answer that is wanted. */
  most?: ApiClientOptions['most'];
}

/** How a call is sent: with this token, to its base, before the deadline. */
interface Way<T> {
  send(token: CachedToken, deadline: Deadline): Promise<T>;
  isSpent?(): boolean;
}

/** Sends a client's calls to its home region. @spec D1-5.6 */
@Injectable()
export class RoutingService {
  private readonly answers = new AnswerCache();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly tokens: TokensService,
    private readonly limits: LimitsService,
    private readonly caller: RetryingCaller,
  ) {}

  /** Calls the platform, unless the answer is in the cache. */
  async call<E extends Endpoint>(name: string, contract: E, request: Request<E>, options: CallOptions = {}): Promise<Output<E>> {
    const client = this.clientFor(name, contract);
    const kept = this.answers.find(client.name, contract, request, this.clock.now());
    if (kept) {
      count(METRICS.answersCached, { 'codase.service': client.name });
      return kept.answer as Output<E>;
    }
    const answer = await this.route(client, contract, options, {
      send: ({ api_url, access_token }, deadline) =>
        deadline.bound((signal) =>
          new ApiClient(api_url, { token: access_token, timeoutMs: deadline.leftMs, signal, most: options.most }).call(contract, request),
        ),
    });
    this.answers.keep(client.name, contract, request, answer, this.clock.now());
    return answer;
  }

  async route<T>(client: Client, contract: Endpoint, { by = 'anyone', withinMs }: CallOptions, { send, isSpent }: Way<T>): Promise<T> {
    const deadline = new Deadline(withinMs);
    let token = await this.tokens.tokenFor(client, deadline);
    return this.caller.call({
      limiter: this.limits.limiterOf(client.name, contract.limit ?? 'data'),
      by,
      deadline,
      safe: isIdempotent(contract),
      base: () => token.api_url,
      send: () => send(token, deadline),
      ...(isSpent && { isSpent }),
      renew: async () => {
        this.tokens.refused(client, token);
        token = await this.tokens.tokenFor(client, deadline);
      },
      rebase: (api_url) => {
        count(METRICS.rebased, { 'codase.service': client.name });
        token = this.tokens.moved(client, token, api_url);
      },
    });
  }

  /** Returns the client to act as. Refuses a call that no client of its kind may make. */
  clientFor(name: string, { callers, at }: Endpoint): Client {
    const client = this.settings.clients.get(name);
    if (!client) throw new Refusal('gateway.client_unknown');
    const mayCall = callers.includes(client.kind) && at.includes('region');
    if (!mayCall) throw new Refusal('auth.client_endpoint_forbidden').because(`No ${client.kind} client may call this`);
    return client;
  }
}
