import { createPrivateKey } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

/** The server that many would use instead. It issues tokens of the same kind: JWTs signed with ES256. */
const { PORT, CLIENT_ID, CLIENT_SECRET, SIGNING_KEY } = process.env as Record<string, string>;
const resource = 'https://api.example';
const server = { scope: '', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 3600, jwt: { sign: { alg: 'ES256' } } };
const client = {
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  token_endpoint_auth_method: 'client_secret_post',
  grant_types: ['client_credentials'],
};

const provider = new Provider(`http://127.0.0.1:${PORT}`, {
  clients: [{ ...client, response_types: [], redirect_uris: [], id_token_signed_response_alg: 'ES256' }],
  jwks: { keys: [{ ...createPrivateKey(SIGNING_KEY!).export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
  cookies: { keys: ['bench'] },
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: { enabled: true, defaultResource: () => resource, getResourceServerInfo: () => server },
  },
});
createServer(provider.callback()).listen(Number(PORT), '127.0.0.1', () => process.send?.('ready'));
process.on('disconnect', () => process.exit(0));
