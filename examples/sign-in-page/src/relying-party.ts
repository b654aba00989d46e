import * as openid from 'openid-client';

/** What a sign-in is recognised by when the browser comes back. It belongs to one browser and to one sign-in. */
export interface SignInChecks {
  pkceCodeVerifier: string;
  expectedState: string;
  expectedNonce: string;
}

/** Who signed in, and the values of the claims, by their slugs, still sealed to the account key. */
export interface SignedIn {
  sub: string;
  claim_values: Readonly<Record<string, string>>;
}

interface RelyingPartySettings {
  frontDoorUrl: string;
  client_id: string;
  client_secret: string;
  /** Where persons are sent back to, as it is registered with the app. */
  redirect_uri: string;
}

/** Signs persons in with an app of the company, by OpenID Connect. */
export class RelyingParty {
  private readonly provider: openid.Configuration;
  private readonly redirect_uri: string;

  private constructor(provider: openid.Configuration, redirect_uri: string) {
    this.provider = provider;
    this.redirect_uri = redirect_uri;
  }

  static async discover({ frontDoorUrl, client_id, client_secret, redirect_uri }: RelyingPartySettings): Promise<RelyingParty> {
    const url = new URL(frontDoorUrl);
    const isDemo = url.hostname === '127.0.0.1'; // npm start serves http; anywhere else it is https
    const execute = isDemo ? [openid.allowInsecureRequests] : [];
    const provider = await openid.discovery(url, client_id, undefined, openid.ClientSecretBasic(client_secret), { execute });
    return new RelyingParty(provider, redirect_uri);
  }

  /** Returns where to send the browser, and what to keep for its return. */
  async begin(): Promise<{ url: URL; checks: SignInChecks }> {
    const checks = {
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
      expectedState: openid.randomState(),
      expectedNonce: openid.randomNonce(),
    };
    const url = openid.buildAuthorizationUrl(this.provider, {
      redirect_uri: this.redirect_uri,
      scope: 'openid',
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    return { url, checks };
  }

  /** Exchanges the code that the browser came back with. Throws when the person refused, or when the answer is not that of this sign-in. */
  async finish(search: string, checks: SignInChecks): Promise<SignedIn> {
    const cameBackTo = new URL(this.redirect_uri);
    cameBackTo.search = search;
    const answer = await openid.authorizationCodeGrant(this.provider, cameBackTo, { ...checks, idTokenExpected: true });
    const claim_values = (answer['claim_values'] ?? {}) as unknown as SignedIn['claim_values'];
    return { sub: answer.claims()!.sub, claim_values };
  }
}
