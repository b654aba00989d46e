import type { Examples } from '../core/example.ts';

const METADATA = {
  issuer: 'https://codase.example',
  token_endpoint: 'https://codase.example/oauth2/token',
  authorization_endpoint: 'https://codase.example/oauth2/authorize',
  revocation_endpoint: 'https://codase.example/oauth2/revoke',
  jwks_uri: 'https://codase.example/oauth2/jwks',
  grant_types_supported: ['client_credentials', 'authorization_code', 'refresh_token'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
  token_endpoint_auth_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'],
  code_challenge_methods_supported: ['S256'],
  dpop_signing_alg_values_supported: ['ES256'],
  authorization_response_iss_parameter_supported: true,
};

const KEYS = {
  keys: [
    {
      kty: 'EC',
      crv: 'P-256',
      alg: 'ES256',
      use: 'sig',
      kid: '1',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
  ],
};

/** Examples, by the names of the endpoints. */
export const tokensExamples: Examples = {
  issue_token: {
    body: { grant_type: 'client_credentials', client_id: 'svc_acme_shop', client_secret: 'the secret that was shown once' },
    result: { token_type: 'Bearer', expires_in: 3600, access_token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2ln', api_url: 'https://eu.codase.example' },
  },
  revoke_token: { body: { token: 'the refresh token', client_id: 'app_person' }, result: {} },
  list_sessions: {
    result: {
      items: [
        {
          id: 'ses_phone',
          client_id: 'app_person',
          client_name: 'Phone',
          created_at: '2026-01-01T12:00:00.000Z',
          last_used_at: '2026-01-08T07:30:00.000Z',
          ends_at: '2026-04-01T12:00:00.000Z',
        },
      ],
      next_cursor: null,
    },
  },
  jwks: { result: KEYS },
  openid_jwks: { result: KEYS },
  server_metadata: { result: METADATA },
  openid_configuration: {
    result: {
      ...METADATA,
      scopes_supported: ['openid'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['ES256'],
      claims_supported: ['sub', 'iss', 'aud', 'iat', 'exp', 'auth_time', 'nonce'],
      jwks_uri: 'https://codase.example/oauth2/openid-jwks',
      request_uri_parameter_supported: false,
    },
  },
};
