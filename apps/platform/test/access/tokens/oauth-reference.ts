import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';

export interface ReferenceClient {
  client_id: string;
  client_secret?: string;
  redirect_uri: string;
}

/** A third-party OAuth server with the same clients: what it accepts and refuses is what other programs expect. */
export class Reference {
  private readonly server: Server;
  private readonly provider: Provider;

  private constructor(provider: Provider, server: Server) {
    this.provider = provider;
    this.server = server;
  }

  static async open(clients: readonly ReferenceClient[]): Promise<Reference> {
    const provider = new Provider('http://127.0.0.1', configuration(clients));
    const server = createServer(provider.callback());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new Reference(provider, server);
  }

  get tokenUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/token`;
  }

  /** Creates an authorization code, as if a person had signed in. */
  async code({ client_id, redirect_uri }: ReferenceClient, codeChallenge: string): Promise<string> {
    const accountId = 'somebody';
    const grant = new this.provider.Grant({ accountId, clientId: client_id });
    grant.addOIDCScope('openid');
    const client = await this.provider.Client.find(client_id);
    const code = {
      accountId,
      client,
      redirectUri: redirect_uri,
      scope: 'openid',
      codeChallenge,
      codeChallengeMethod: 'S256',
      grantId: await grant.save(),
      gty: 'authorization_code',
    };
    return new this.provider.AuthorizationCode(code).save(60);
  }

  close(): Promise<void> {
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }
}

function configuration(clients: readonly ReferenceClient[]): object {
  const jwk = { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' };
  return {
    clients: clients.map(described),
    jwks: { keys: [jwk] },
    cookies: { keys: ['only for tests'] },
    features: { clientCredentials: { enabled: true }, devInteractions: { enabled: false } },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: async (_: unknown, accountId: string) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    ttl: { AccessToken: 3600, ClientCredentials: 3600, AuthorizationCode: 60, Grant: 3600, IdToken: 3600, RefreshToken: 3600 },
  };
}

const described = ({ client_id, client_secret, redirect_uri }: ReferenceClient) => ({
  client_id,
  ...(client_secret && { client_secret }),
  token_endpoint_auth_method: client_secret ? 'client_secret_post' : 'none',
  grant_types: ['authorization_code', 'refresh_token', ...(client_secret ? ['client_credentials'] : [])],
  response_types: ['code'],
  redirect_uris: [redirect_uri],
  id_token_signed_response_alg: 'ES256',
});
