import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS, Level, Refusal, type Input, type TokenResponse, type tokens } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import { Audit } from '../../foundation/audit/index.ts';
import { ClientAuthenticator, isPublic, type ClientRow } from '../clients/index.ts';
import { apiUrlOf, BASES, HERE, type Bases, type Here } from '../../foundation/regions/index.ts';
import { signToken } from './access-token.ts';
import { APP_SIGN_INS, type AppSignIns } from './app-sign-ins.hook.ts';
import { challengeOf, hashGrantSecret, newGrantSecret, successorOf } from './grant-secret.ts';
import { SESSIONS, type BoundKey, type Sessions, type SignedIn } from './sessions.ts';
import { SIGNING_KEYS, SigningKeys } from './signing-keys.service.ts';
import { DpopProofs, type ProvenCall } from './dpop/dpop-proofs.service.ts';
import { METRICS } from './metrics.ts';

/** What a token is for: a client in its region, or a user who signed in; and the key that it is bound to. */
interface Granted {
  region: string;
  user_id?: string;
  session_id?: string;
  bound: BoundKey | undefined;
}

type TokenRequest = Input<typeof tokens.issueToken>['body'];

/** Issues access tokens for the grants that clients present. @spec D1-4.1 @spec D1-5.4 */
@Injectable()
export class TokensService {
  constructor(
    private readonly clients: ClientAuthenticator,
    @Inject(SESSIONS) private readonly sessions: Sessions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
    private readonly audit: Audit,
    @Inject(APP_SIGN_INS) private readonly apps: readonly AppSignIns[],
    private readonly proofs: DpopProofs,
  ) {}

  async issue(request: TokenRequest, call: ProvenCall): Promise<TokenResponse> {
    try {
      return await this.exchange(request, call);
    } catch (error) {
      if (error instanceof Refusal) this.audit.refused({ act: 'token.refused', outcome: error.key, client_id: request.client_id });
      throw error;
    }
  }

  private exchange(request: TokenRequest, call: ProvenCall): Promise<TokenResponse> {
    switch (request.grant_type) {
      case 'client_credentials':
        return this.forClient(request, call);
      case 'authorization_code':
        return this.forCode(request, call);
      case 'refresh_token':
        return this.forRefreshToken(request, call);
      default:
        throw new Refusal('oauth.unsupported_grant_type').because(
          'grant_type: must be client_credentials, authorization_code or refresh_token',
        );
    }
  }

  /** Issues a token for client credentials, whatever state the region is in. @spec D1-5.2 @spec D1-7 */
  private async forClient(request: TokenRequest, call: ProvenCall): Promise<TokenResponse> {
    const client = await this.authenticate(request);
    if (isPublic(client))
      throw new Refusal('oauth.unauthorized_client').because('A client without a secret gets tokens for its users alone');
    if (client.kind === 'app')
      throw new Refusal('oauth.unauthorized_client').because('A sign-in app gets tokens for the people who sign in alone');
    return this.answer(client, { region: client.region!, bound: await this.keyOf(call, client) });
  }

  /** @spec D1-5.5 @spec D1-4.1 */
  private async forCode(request: TokenRequest, call: ProvenCall): Promise<TokenResponse> {
    const client = await this.authenticate(request);
    this.sessions.checkRedeems(); // before the parameters are read: a request at the wrong base is told so, whatever it lacks
    const code = given(request, 'code');
    const bound = await this.keyOf(call, client);
    const refresh_token = client.kind === 'app' ? undefined : newGrantSecret();
    const signedIn = await this.sessions.redeem({
      client_id: client.client_id,
      code_hash: hashGrantSecret(code),
      redirect_uri: given(request, 'redirect_uri'),
      code_challenge: challengeOf(given(request, 'code_verifier')),
      next_hash: refresh_token && hashGrantSecret(refresh_token),
      bound: isPublic(client) ? bound : undefined,
    });
    if (refresh_token === undefined) return this.forApp(client, { ...signedIn, bound }, code);
    return { ...(await this.answer(client, { ...signedIn, bound })), refresh_token };
  }

  /**
   * Answers a sign-in app: who signed in, and the values of its claims, once. The access token names the person as the `id_token` does, and
   * may call nothing. @spec D1-4.6 @gap D1-4.6
   */
  private async forApp(
    client: ClientRow,
    { user_id, session_id, region, bound }: Granted & SignedIn,
    code: string,
  ): Promise<TokenResponse> {
    const { client_id, company_user_id } = client;
    const [apps] = this.apps;
    const { subject, id_token, claim_values } = await apps!.take({
      client_id,
      company_user_id: company_user_id!,
      session_id,
      user_id,
      code,
    });
    const { api_url: _, ...answer } = await this.answer(client, { user_id: subject, session_id, region, bound });
    return { ...answer, id_token, ...(claim_values && { claim_values }) };
  }

  /** @spec D1-5.4 */
  private async forRefreshToken(request: TokenRequest, call: ProvenCall): Promise<TokenResponse> {
    const client = await this.authenticate(request);
    const used = given(request, 'refresh_token');
    const bound = await this.keyOf(call, client);
    const next_salt = newGrantSecret();
    const signedIn = await this.sessions.rotate({
      client_id: client.client_id,
      token_hash: hashGrantSecret(used),
      next_hash: hashGrantSecret(successorOf(used, next_salt)),
      next_salt,
      bound: isPublic(client) ? bound : undefined,
    });
    const refresh_token = successorOf(used, signedIn.salt ?? next_salt);
    return { ...(await this.answer(client, { ...signedIn, bound })), refresh_token };
  }

  private async authenticate(request: TokenRequest): Promise<ClientRow> {
    const client = await this.clients.authenticate(request);
    checkLevel(client);
    this.checkHome(client);
    return client;
  }

  /** A region issues tokens only to clients at home in it. The front door serves everybody. @gap D1-5.6 */
  private checkHome({ region }: ClientRow): void {
    if (this.here.base === 'front-door' || region === null || region === this.here.region) return;
    throw new Refusal('region.rebase_required', { api_url: this.bases.front_door_url });
  }

  /** Returns the key that the request proves, to which the token is then bound. Without a proof the token is for whoever bears it. */
  private async keyOf(call: ProvenCall, client: ClientRow): Promise<BoundKey | undefined> {
    if (call.headers['dpop'] !== undefined) {
      const { key, jkt } = await this.proofs.take(call, invalidProof);
      return { key, jkt };
    }
    if (client.dpop_bound_access_tokens) throw this.proofs.refused('missing', invalidProof);
    return undefined;
  }

  private async answer(client: ClientRow, granted: Granted): Promise<TokenResponse> {
    const { region, bound } = granted;
    const api_url = this.here.base === 'front-door' ? apiUrlOf(this.bases, region) : undefined;
    count(METRICS.tokensIssued, { 'codase.region': region });
    const access_token = await this.tokenFor(client, granted);
    return { token_type: bound ? 'DPoP' : 'Bearer', expires_in: ACCESS_TOKEN_SECONDS, access_token, ...(api_url && { api_url }) };
  }

  /** Signs an access token for the user who signed in, else for an account client's company, or the client. @spec D1-5.2 @spec D1-5.5 */
  private tokenFor({ kind, client_id, company_user_id, epoch }: ClientRow, { user_id, session_id, bound }: Granted): Promise<string> {
    const sub = user_id ?? (kind === 'account' ? company_user_id! : client_id);
    return signToken(this.keys.current, this.clock.now(), {
      iss: this.bases.front_door_url,
      sub,
      client_id,
      gen: epoch,
      ...(session_id !== undefined && { sid: session_id }),
      ...(bound && { cnf: { jkt: bound.jkt } }),
      jti: randomUUID(),
    });
  }
}

const invalidProof = (why: string) => new Refusal('oauth.invalid_dpop_proof').because(why);

/** Checks the level of a data client: below basic it gets no new tokens, and its existing tokens run out. @spec D1-4.5 @gap D1-4.5 */
function checkLevel({ kind, level }: ClientRow): void {
  if (kind !== 'service' || level === null || Level.options.indexOf(level) >= Level.options.indexOf('basic')) return;
  throw new Refusal('account.level_required')
    .because('A data client needs the level basic or above, and its company has a lower one: nothing is deleted, take the level again')
    .inOAuth('unauthorized_client');
}

function given(request: TokenRequest, name: 'code' | 'redirect_uri' | 'code_verifier' | 'refresh_token'): string {
  const value = request[name];
  if (value === undefined) throw new Refusal('oauth.invalid_request').because(`${name} is missing`);
  return value;
}
