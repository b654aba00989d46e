import { Inject, Injectable } from '@nestjs/common';
import { isAllowed, NEVER_GRANTABLE, Refusal, tokens, type Callers, type Endpoint, type RateLimit } from '@cds/contracts';
import { identifyInitiator } from '@cds/runtime/initiator';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import type { Call, Gatekeeper } from '@cds/runtime/http';
import { isTransient } from '@cds/runtime/resilience';
import { Audit } from '../audit/index.ts';
import { callerOf, userOf, type KnownCaller } from './callers.ts';
import { CLIENT_LOOKUP, type ClientLookup, type ClientRow } from '../clients/index.ts';
import { HOMES, type Homes } from '../regions/index.ts';
import { RateLimits } from './limits/rate-limits.service.ts';
import { Modes } from '../regions/index.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../regions/index.ts';
import { FRONT_DOOR_BASE, type Claims } from './access-token.ts';
import { RevokedTokens } from './revoked-tokens.service.ts';
import { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
import { VerifiedTokens } from './verified-tokens.ts';

/** Who calls: a client, and for the first-party ones the user who signed in. */
interface Identity {
  client: ClientRow;
  claims: Claims;
}

/** Every check before a request is read, in their order. @spec D1-5.3 @spec D1-5.6 @spec D1-5.7 @spec D1-5.8 @spec D1-7 */
@Injectable()
export class TokenGatekeeper implements Gatekeeper {
  private readonly tokens: VerifiedTokens;

  constructor(
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEYS) keys: SigningKeys,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
    private readonly modes: Modes,
    private readonly ended: RevokedTokens,
    private readonly limits: RateLimits,
    @Inject(HOMES) private readonly homes: Homes,
    private readonly audit: Audit,
  ) {
    this.tokens = new VerifiedTokens(keys);
  }

  admit(contract: Endpoint, call: Call): null | Promise<Callers[keyof Callers]> {
    this.checkInOrder(contract);
    return contract.callers.includes('anyone') ? this.admitAnyone(contract, call) : this.admitByToken(contract, call);
  }

  private async admitByToken(contract: Endpoint, call: Call): Promise<KnownCaller> {
    const identity = await this.identify(call);
    return call.inCallersTrace(() =>
      this.admitKnown(contract, call, identity).catch((error: unknown) => {
        throw challengeStore(contract, error);
      }),
    );
  }

  private async admitKnown(contract: Endpoint, call: Call, identity: Identity): Promise<KnownCaller> {
    const caller = callerOf(identity.client, identity.claims);
    const isPermitted = isOnWhitelist(identity.client, contract.path) && contract.callers.includes(caller.kind);
    identifyInitiator({ user_id: userOf(caller), client_id: caller.client_id });
    const limit = contract.limit ?? 'data';
    const isCharged = isPermitted && (await this.chargeAtHome(limit, caller, identity));
    if (!isCharged) {
      await this.checkHome(identity);
      if (!isPermitted) throw new Refusal('auth.client_endpoint_forbidden');
      await this.limits.charge(limit, { address: call.address, client_id: bucketOwner(caller) });
    }
    if (this.here.base === 'region' && contract.refusals.includes('db.writes_paused')) this.modes.checkWritable(this.here.region);
    return caller;
  }

  /** Of users both are seen at once. False, with nothing taken, for one who is not at home, and for clients, whose home is known. */
  private chargeAtHome(limit: RateLimit, caller: KnownCaller, { client, claims }: Identity): boolean | Promise<boolean> {
    const isUser = this.here.base === 'region' && client.region === null;
    return isUser && this.limits.chargeAtHome(limit, bucketOwner(caller), claims.sub);
  }

  /** Its token has not ended and was not revoked, nor its client, and the region is in order. Where the user lives is not asked again. */
  async stillAdmits(contract: Endpoint, { authorization }: Call): Promise<boolean> {
    if (this.here.base === 'region' && this.modes.of(this.here.region).out_of_order) return false;
    return (await this.holderOf(this.claimsIn(tokenIn(authorization)))) !== undefined;
  }

  /** A route of another base: the front door's are for anyone, a region's depend on where the caller lives. @spec D1-5.6 */
  async pointElsewhere(contract: Endpoint, call: Call): Promise<never> {
    if (contract.at.includes('front-door')) throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
    const { client, claims } = await this.identify(call);
    const region = client.region ?? (await this.homes.regionOf(claims.sub));
    const api_url = region && apiUrlOf(this.bases, region);
    throw api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('auth.token_invalid');
  }

  /** What no route has is unknown to those who might call it, and forbidden to the others. @gap D1-5.7 */
  async turnAway(path: string, call: Call): Promise<never> {
    if (this.here.base === 'region') this.modes.checkInOrder(this.here.region);
    const isUnknown = call.authorization === undefined || isOnWhitelist((await this.identify(call)).client, path);
    throw new Refusal(isUnknown ? 'request.not_found' : 'auth.client_endpoint_forbidden');
  }

  /** At once, where the limit is one of those by address. */
  private admitAnyone({ limit }: Endpoint, { address }: Call): null | Promise<null> {
    const charged = limit && this.limits.charge(limit, { address, client_id: undefined });
    return charged ? charged.then(() => null) : null;
  }

  /** A region that is being rebuilt processes nothing; which tokens it still gives, the grant decides. @spec D1-7 */
  private checkInOrder(contract: Endpoint): void {
    if (this.here.base === 'region' && contract.name !== tokens.issueToken.name) this.modes.checkInOrder(this.here.region);
  }

  /** Calls with tokens that do not hold are counted by address; a token that holds passes whatever others from there do. @gap D1-8 */
  private async identify({ authorization, address }: Call): Promise<Identity> {
    const token = tokenIn(authorization);
    const claims = this.claimsIn(token);
    const identity = await this.holderOf(claims);
    if (!identity) {
      if (token !== undefined) this.recordRefused(claims);
      await this.limits.charge('refused_token', { address, client_id: undefined });
      throw new Refusal('auth.token_invalid');
    }
    await this.checkSigner(identity);
    return identity;
  }

  /** What a token says, if a base of ours signed it. A bad signature is not remembered: it costs as much each time it is checked. */
  private claimsIn(token: string | undefined): Claims | undefined {
    return token === undefined ? undefined : this.tokens.claimsOf(token, this.clock.now());
  }

  /** Who holds a token with these claims, if it is one that holds. */
  private async holderOf(claims: Claims | undefined): Promise<Identity | undefined> {
    const client = claims && (await this.clients.clientOf(claims.client_id, claims.gen));
    return !client || client.disabled || client.epoch !== claims.gen || this.ended.has(claims) ? undefined : { client, claims };
  }

  /** Who sends no token at all has none refused. */
  private recordRefused(claims: Claims | undefined): void {
    const known = claims && { client_id: claims.client_id, account_id: claims.sub, object: claims.jti };
    this.audit.refused({ act: 'token.refused', outcome: 'auth.token_invalid', ...known });
  }

  /**
   * The front door signs for everybody, a region for those who are at home in it: with the key of a region nobody can be anyone else.
   * Whether a user is at home here, `checkHome` sees. @gap D1-5.6
   */
  private async checkSigner({ client, claims }: Identity): Promise<void> {
    const { signed_by, sub } = claims;
    if (signed_by === FRONT_DOOR_BASE) return;
    const isUserHere = client.region === null && this.here.base === 'region' && this.here.region === signed_by;
    if (isUserHere) return;
    const home = client.region ?? (await this.homes.regionOf(sub));
    if (home === signed_by) return;
    this.recordRefused(claims);
    throw new Refusal('auth.token_invalid');
  }

  /** A client lives with its company, a user of a first-party app wherever the user does. */
  private async checkHome({ client, claims }: Identity): Promise<void> {
    if (this.here.base === 'front-door') return;
    if (client.region === null) return this.homes.check(claims.sub);
    if (client.region === this.here.region) return;
    const api_url = apiUrlOf(this.bases, client.region);
    throw api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('service.unavailable');
  }
}

/** Where it declares so, a route that cannot reach the database says that of its own store. @spec D1-7 */
const challengeStore = ({ refusals }: Endpoint, error: unknown): unknown =>
  refusals.includes('twofa.unavailable') && !(error instanceof Refusal) && isTransient(error) ? new Refusal('twofa.unavailable') : error;

const tokenIn = (authorization: string | undefined): string | undefined => /^Bearer +([\w.~+/=-]+)$/i.exec(authorization ?? '')?.[1];

/** Never-grantable paths win over every pattern. @spec D1-5.7 @spec D1-5.8 */
function isOnWhitelist({ kind, patterns }: ClientRow, path: string): boolean {
  const isForbidden = kind !== 'portal' && isAllowed(NEVER_GRANTABLE, path);
  return !isForbidden && isAllowed(patterns, path);
}

/** Users of one first-party client do not share a bucket. */
const bucketOwner = (caller: KnownCaller): string =>
  caller.kind === 'person' ? caller.person_user_id : caller.kind === 'portal' ? caller.company_user_id : caller.client_id;
