import { Inject, Injectable } from '@nestjs/common';
import { isAllowed, NEVER_GRANTABLE, RATE_LIMITS, Refusal, tokens, type Callers, type Endpoint, type RateLimit } from '@codase/contracts';
import { forCompany, forEveryCompany } from '@codase/runtime/db';
import { identifyInitiator } from '@codase/runtime/initiator';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Call, Gatekeeper } from '@codase/runtime/http';
import { isTransient } from '@codase/runtime/resilience';
import { Audit } from '../../foundation/audit/index.ts';
import { callerOf, userOf, type KnownCaller } from './callers.ts';
import { CLIENT_LOOKUP, type ClientLookup, type ClientRow } from '../clients/index.ts';
import { apiUrlOf, BASES, HERE, HOMES, Modes, type Bases, type Here, type Homes } from '../../foundation/regions/index.ts';
import { RateLimits } from './limits/rate-limits.service.ts';
import { accountOf, FRONT_DOOR_BASE, type Claims } from './access-token.ts';
import { DpopProofs } from './dpop/dpop-proofs.service.ts';
import { RevokedTokens } from './revoked-tokens.service.ts';
import { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
import { VerifiedTokens } from './verified-tokens.ts';

/** The caller of a request: its client, and in the claims the user who signed in when it is a first-party client. */
interface Identity {
  client: ClientRow;
  claims: Claims;
}

/** Does all checks that a call passes before it is read, in their order. @spec D1-5.3 @spec D1-5.6 @spec D1-5.7 @spec D1-5.8 @spec D1-7 */
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
    private readonly proofs: DpopProofs,
  ) {
    this.tokens = new VerifiedTokens(keys);
  }

  admit(contract: Endpoint, call: Call): null | Promise<Callers[keyof Callers]> {
    this.checkInOrder(contract);
    return contract.callers.includes('anyone') ? this.admitAnyone(contract, call) : this.admitByToken(contract, call);
  }

  private async admitByToken(contract: Endpoint, call: Call): Promise<KnownCaller> {
    const identity = await this.identify(call);
    const caller = callerOf(identity.client, identity.claims);
    const admitted = () => this.admitKnown(contract, call, { ...identity, caller });
    return call.inCallersTrace(() =>
      this.inScope(contract, caller, admitted).catch((error: unknown) => {
        throw challengeStore(contract, error);
      }),
    );
  }

  private async admitKnown(
    contract: Endpoint,
    call: Call,
    { caller, ...identity }: Identity & { caller: KnownCaller },
  ): Promise<KnownCaller> {
    const isPermitted = isOnWhitelist(identity.client, contract.path) && contract.callers.includes(caller.kind);
    identifyInitiator({ user_id: userOf(caller), client_id: caller.client_id });
    const limit = contract.limit ?? 'data';
    const isCharged = isPermitted && (await this.chargeAtHome(limit, caller, identity));
    if (!isCharged) {
      await this.checkHome(identity);
      if (!isPermitted) throw new Refusal('auth.client_endpoint_forbidden');
      await this.limits.charge(limit, { address: call.address, client_id: bucketOwner(limit, caller) });
    }
    if (this.here.base === 'region' && contract.refusals.includes('db.writes_paused')) this.modes.checkWritable(this.here.region);
    return caller;
  }

  /** Charges a user and checks the home in one statement. Returns false, and takes nothing, elsewhere and for a client. */
  private chargeAtHome(limit: RateLimit, caller: KnownCaller, { client, claims }: Identity): boolean | Promise<boolean> {
    const isUser = this.here.base === 'region' && client.region === null;
    return isUser && this.limits.chargeAtHome(limit, bucketOwner(limit, caller), claims.sub);
  }

  /** Does a call for the company of its caller alone. Data of persons, and of companies as customers, are with many companies. */
  inScope<T>({ tag, callers }: Endpoint, caller: KnownCaller | null, work: () => T): T {
    const isOfCustomers = tag === 'customer' || callers.includes('person');
    if (caller === null || caller.kind === 'person' || isOfCustomers) return forEveryCompany(work);
    return forCompany(caller.company_user_id, work);
  }

  /** Whether the token and its client are still valid and the region is in order. The user's home is not looked up again. */
  async stillAdmits(contract: Endpoint, { authorization }: Call): Promise<boolean> {
    if (this.here.base === 'region' && this.modes.of(this.here.region).out_of_order) return false;
    return (await this.holderOf(this.claimsIn(credentialsIn(authorization).token))) !== undefined;
  }

  /** Refuses a call to a route of another base and names that base: the front door, or the caller's home region. @spec D1-5.6 */
  async pointElsewhere(contract: Endpoint, call: Call): Promise<never> {
    if (contract.at.includes('front-door')) throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
    const { client, claims } = await this.identify(call);
    const region = client.region ?? (await this.homes.regionOf(claims.sub));
    const api_url = region && apiUrlOf(this.bases, region);
    throw api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('auth.token_invalid');
  }

  /** Refuses an unknown path: as not found without a token or with the path on the whitelist, otherwise as forbidden. @gap D1-5.7 */
  async turnAway(path: string, call: Call): Promise<never> {
    if (this.here.base === 'region') this.modes.checkInOrder(this.here.region);
    const isUnknown = call.authorization === undefined || isOnWhitelist((await this.identify(call)).client, path);
    throw new Refusal(isUnknown ? 'request.not_found' : 'auth.client_endpoint_forbidden');
  }

  /** Returns a promise only when the charge needs the database: limits by address are kept in memory. */
  private admitAnyone({ limit }: Endpoint, { address }: Call): null | Promise<null> {
    const charged = limit && this.limits.charge(limit, { address, client_id: undefined });
    return charged ? charged.then(() => null) : null;
  }

  /** Refuses every call while the region is out of order, but for tokens: there the grant decides. @spec D1-7 */
  private checkInOrder(contract: Endpoint): void {
    if (this.here.base === 'region' && contract.name !== tokens.issueToken.name) this.modes.checkInOrder(this.here.region);
  }

  /**
   * Returns the caller of a valid token. A call with an invalid token is charged to the bucket of its address, so that a valid token passes
   * whatever other callers at that address do. @gap D1-8
   */
  private async identify(call: Call): Promise<Identity> {
    const { scheme, token } = credentialsIn(call.authorization);
    const claims = this.claimsIn(token);
    const identity = await this.holderOf(claims);
    const isBound = identity?.claims.cnf !== undefined;
    if (!identity || isBound !== (scheme === 'dpop') || (identity.client.dpop_bound_access_tokens && !isBound)) {
      if (token !== undefined) this.recordRefused(claims);
      return this.refuse(call, new Refusal('auth.token_invalid'));
    }
    await this.checkSigner(identity);
    if (isBound) await this.checkHolder(call, token!, identity.claims);
    return identity;
  }

  /** Checks that the caller has the key of a bound token. The token without its key is a stolen one, so that is recorded. */
  private async checkHolder(call: Call, token: string, claims: Claims): Promise<void> {
    try {
      await this.proofs.take(call, (why) => new Refusal('auth.token_invalid').because(why), { token, jkt: claims.cnf!.jkt });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.recordRefused(claims);
      await this.refuse(call, error);
    }
  }

  /** Refuses an invalid token, and charges the caller's address for it. */
  private async refuse({ address }: Call, refusal: Refusal): Promise<never> {
    await this.limits.charge('refused_token', { address, client_id: undefined });
    throw refusal;
  }

  /** Returns the claims of a token that a base signed. A bad signature is not remembered: each check of it costs the same. */
  private claimsIn(token: string | undefined): Claims | undefined {
    return token === undefined ? undefined : this.tokens.claimsOf(token, this.clock.now());
  }

  /** Returns the client and the claims of a token, or undefined when the token is not valid or its client is disabled. */
  private async holderOf(claims: Claims | undefined): Promise<Identity | undefined> {
    const client = claims && (await this.clients.clientOf(claims.client_id, claims.gen));
    return !client || client.disabled || client.epoch !== claims.gen || this.ended.has(claims) ? undefined : { client, claims };
  }

  /** Records a refused token in the audit. A call without any token is not recorded. */
  private recordRefused(claims: Claims | undefined): void {
    const known = claims && { client_id: claims.client_id, account_id: accountOf(claims), object: claims.jti };
    this.audit.refused({ act: 'token.refused', outcome: 'auth.token_invalid', ...known });
  }

  /**
   * Checks the base that signed the token. The front door signs for everybody, a region only for users and clients at home in it, so that
   * the key of one region cannot impersonate anyone at home in another. Whether a user is at home here is checked later, by `chargeAtHome`
   * or `checkHome`. @gap D1-5.6
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

  /** Checks that this region is the caller's home: the home of its company for a client, the user's own home for a first-party app. */
  private async checkHome({ client, claims }: Identity): Promise<void> {
    if (this.here.base === 'front-door') return;
    if (client.region === null) return this.homes.check(claims.sub);
    if (client.region === this.here.region) return;
    const api_url = apiUrlOf(this.bases, client.region);
    throw api_url ? new Refusal('region.rebase_required', { api_url }) : new Refusal('service.unavailable');
  }
}

/** Turns a transient failure of the database into `twofa.unavailable` when the route declares that refusal. @spec D1-7 */
const challengeStore = ({ refusals }: Endpoint, error: unknown): unknown =>
  refusals.includes('twofa.unavailable') && !(error instanceof Refusal) && isTransient(error) ? new Refusal('twofa.unavailable') : error;

/** The token of a request, and whether it is sent as bearer token or as one with a proof. */
function credentialsIn(authorization: string | undefined): { scheme?: string; token?: string } {
  const [, scheme, token] = /^(Bearer|DPoP) +([\w.~+/=-]+)$/i.exec(authorization ?? '') ?? [];
  return token === undefined ? {} : { scheme: scheme!.toLowerCase(), token };
}

/** Never-grantable paths win over every pattern. @spec D1-5.7 @spec D1-5.8 */
function isOnWhitelist({ kind, patterns }: ClientRow, path: string): boolean {
  const isForbidden = kind !== 'portal' && isAllowed(NEVER_GRANTABLE, path);
  return !isForbidden && isAllowed(patterns, path);
}

/** Users of one first-party client do not share a bucket. All clients of a company share those that count by company. */
function bucketOwner(limit: RateLimit, caller: KnownCaller): string {
  if (caller.kind === 'person') return caller.person_user_id;
  return caller.kind === 'portal' || RATE_LIMITS[limit].by === 'company' ? caller.company_user_id : caller.client_id;
}
