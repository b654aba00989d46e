import { Inject, Injectable } from '@nestjs/common';
import { access, Refusal } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { ApiClient } from '@cds/runtime/http';
import { count } from '@cds/runtime/telemetry';
import { FRONT_DOOR_URL, SERVICES, type Config } from '../config.ts';
import { hold, isFresh, type HeldToken } from './held-token.ts';

/** One token per client for its lifetime, and never two requests at once for the same token. @spec D1-5.4 */
@Injectable()
export class TokensService {
  private readonly held = new Map<string, HeldToken>();
  private readonly asking = new Map<string, Promise<HeldToken>>();

  constructor(
    @Inject(SERVICES) private readonly services: Config['SERVICES'],
    @Inject(FRONT_DOOR_URL) private readonly frontDoorUrl: string,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async tokenFor(service: string): Promise<HeldToken> {
    const held = this.held.get(service);
    if (held && isFresh(held, this.clock.now())) return held;
    const asked = this.asking.get(service) ?? this.renew(service);
    this.asking.set(service, asked);
    return asked.finally(() => this.asking.delete(service));
  }

  /** The platform refused this token: forget it, unless another call already brought a newer one. */
  refused(service: string, token: HeldToken): void {
    if (this.held.get(service) === token) this.held.delete(service);
  }

  /** A 421 named another base: every later call goes there too. @spec D1-5.6 */
  moved(service: string, token: HeldToken, api_url: string): HeldToken {
    const there = { ...token, api_url };
    if (this.held.get(service) === token) this.held.set(service, there);
    return there;
  }

  private async renew(service: string): Promise<HeldToken> {
    const credentials = this.credentialsOf(service);
    count('tokenRenewals', { 'cds.service': service });
    const answer = await new ApiClient(this.frontDoorUrl).call(access.issueToken, { body: { grant_type: 'client_credentials', ...credentials } });
    if (!answer.api_url) throw new Refusal('service.unavailable').because('The front door did not name the home region: is FRONT_DOOR_URL the front door?');
    const token = hold({ ...answer, api_url: answer.api_url }, this.clock.now());
    this.held.set(service, token);
    return token;
  }

  private credentialsOf(service: string) {
    const credentials = Object.hasOwn(this.services, service) ? this.services[service] : undefined;
    if (!credentials) throw new Refusal('request.not_found').because('The gateway holds no credentials for this service');
    return credentials;
  }
}
