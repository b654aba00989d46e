import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Refusal, tokens } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { ApiClient } from '@codase/runtime/http';
import { withTimeout } from '@codase/runtime/resilience';
import { count, LOG, observe, type Log } from '@codase/runtime/telemetry';
import { SETTINGS, type Client, type Credentials, type Settings } from '../config.ts';
import { LimitsService } from '../limits/limits.service.ts';
import { Deadline } from '../routing/deadline.ts';
import { RetryingCaller } from '../routing/retrying-caller.service.ts';
import { assertionFor } from './client-assertion.ts';
import { hold, isFresh, isUsable, type CachedToken } from './cached-token.ts';
import { METRICS } from '../metrics.ts';

/** How long no token is requested after a failure: requests are limited by address, and one client must not use them up. */
const PAUSE_MS = 5000;
const RENEWAL_MS = 20_000;

/** Holds one token per client for its lifetime, and never requests the same token twice at once. @spec D1-5.4 */
@Injectable()
export class TokensService implements BeforeApplicationShutdown {
  private readonly observed = observe(METRICS.tokenSecondsLeft, () => this.secondsLeft());
  private readonly cached = new Map<string, CachedToken>();
  private readonly asking = new Map<string, Promise<CachedToken>>();
  private readonly failed = new Map<string, { error: unknown; until: number }>();

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    private readonly limits: LimitsService,
    private readonly caller: RetryingCaller,
  ) {}

  beforeApplicationShutdown(): void {
    this.observed();
  }

  /** Returns the token at hand. Towards its end it is still used while a new one is requested. */
  async tokenFor(client: Client, deadline: Deadline): Promise<CachedToken> {
    const cached = this.cached.get(client.name);
    const now = this.clock.now();
    if (cached && isFresh(cached, now)) return cached;
    const renewal = this.renewed(client);
    if (!cached || !isUsable(cached, now)) return withinDeadline(renewal, deadline);
    renewal.catch(() => undefined); // `renew` logs the failure, and the token at hand is good for a while
    return cached;
  }

  /** Forgets a token that the platform refused, unless another call already brought a newer one. */
  refused({ name }: Client, token: CachedToken): void {
    if (this.cached.get(name)?.access_token === token.access_token) this.cached.delete(name);
  }

  /** Moves a client to the base that a 421 named: every later call goes there too. @spec D1-5.6 */
  moved({ name }: Client, token: CachedToken, api_url: string): CachedToken {
    this.checkHost(name, api_url);
    const there = { ...token, api_url };
    if (this.cached.get(name)?.access_token === token.access_token) this.cached.set(name, there);
    return there;
  }

  private secondsLeft() {
    const now = this.clock.now().getTime();
    return [...this.cached].map(([name, { expires_at }]) => [Math.max(0, expires_at - now) / 1000, { 'codase.service': name }] as const);
  }

  private renewed(client: Client): Promise<CachedToken> {
    const failed = this.failed.get(client.name);
    if (failed && performance.now() < failed.until) return Promise.reject(failed.error);
    const renewal = this.asking.get(client.name) ?? this.renew(client).finally(() => this.asking.delete(client.name));
    this.asking.set(client.name, renewal);
    return renewal;
  }

  private async renew(client: Client): Promise<CachedToken> {
    try {
      const token = hold(await this.request(client), this.clock.now());
      this.cached.set(client.name, token);
      this.failed.delete(client.name);
      return token;
    } catch (error) {
      const failure = inWords(error);
      count(METRICS.renewalsFailed, { 'codase.service': client.name });
      const client_id = this.settings.credentials[client.kind].current[client.name]?.client_id;
      this.log.error('no token', { 'codase.service': client.name, 'codase.client_id': client_id, error });
      this.failed.set(client.name, { error: failure, until: performance.now() + PAUSE_MS });
      throw failure;
    }
  }

  /** Requests a token, always at the front door, so that a move to another region is followed. @spec D1-5.6 */
  private async request(client: Client) {
    const { frontDoorUrl } = this.settings;
    const { name } = client;
    const deadline = new Deadline(RENEWAL_MS);
    const credentials = this.credentialsOf(client);
    const { api_url, ...answer } = await this.caller.call({
      limiter: this.limits.limiterOf('every client', 'token'),
      by: name,
      deadline,
      safe: true,
      base: () => frontDoorUrl,
      send: () => {
        count(METRICS.tokenRenewals, { 'codase.service': name });
        // An assertion counts once, so each attempt has its own.
        const body = { grant_type: 'client_credentials', ...this.proofOf(credentials) };
        return deadline.bound((signal) => new ApiClient(frontDoorUrl, { signal }).call(tokens.issueToken, { body }));
      },
    });
    if (!api_url)
      throw new Refusal('service.unavailable').because('The front door did not name the home region: is FRONT_DOOR_URL the front door?');
    this.checkHost(name, api_url);
    return { ...answer, api_url };
  }

  /** Returns the credentials as they stand in their file now, so that a secret is replaced without a restart. */
  private credentialsOf({ name, kind }: Client) {
    const list = this.settings.credentials[kind];
    try {
      if (list.reread()) this.log.info('other client secrets than before are in use');
    } catch (error) {
      this.log.warn('client secrets could not be read anew: those that were read before are used', { error });
    }
    const credentials = list.current[name];
    if (!credentials) throw new Refusal('gateway.client_unknown');
    return credentials;
  }

  /** Returns the parameters by which a client proves itself at the front door. */
  private proofOf(credentials: Credentials) {
    if (!('private_key' in credentials)) return credentials;
    return assertionFor(credentials.client_id, credentials.private_key, this.settings.frontDoorUrl, this.clock.now());
  }

  /** Checks the host of a base: a base, or a proxy before it, must not have tokens sent to a host of its own choice. @gap D1-5.6 */
  private checkHost(name: string, api_url: string): void {
    const fault = this.settings.hosts.faultOf(api_url);
    if (fault === undefined) return;
    count(METRICS.gatewayRefused, { 'codase.check': 'api_host' });
    this.log.error('the platform named a host that is not on the list', { 'codase.service': name, 'server.address': hostOf(api_url) });
    throw new Refusal('gateway.host_refused').because(fault);
  }
}

const REFUSED = 'The platform refuses the credentials the gateway holds for this client: an operator has to renew them';

const inWords = (error: unknown) => (error instanceof Refusal && error.key === 'oauth.invalid_client' ? error.because(REFUSED) : error);

/** Bounds the wait for a token. Many calls wait for the same token, each as long as its own deadline allows. */
const withinDeadline = <T>(work: Promise<T>, deadline: Deadline): Promise<T> =>
  withTimeout(deadline.leftMs, work, () =>
    new Refusal('service.unavailable').because('The front door gave no token in time: ask again later'),
  );

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : 'no URL');
