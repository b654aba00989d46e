import type { Examples } from '../core/example.ts';
import { page } from '../core/samples.ts';

const AT = '2026-03-01T10:00:00.000Z';
const REQUEST = {
  verification_id: 'ver_5n2k9x7q4r8t6w3y1z0m5p2s',
  provider_id: 'idco',
  field: 'email',
  api_url: 'https://eu.api.example',
  created_at: AT,
  expires_at: '2026-03-02T10:00:00.000Z',
};
const JWS = 'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJpZGNvIn0.c2lnbmF0dXJl';

/** Examples, by the names of the endpoints. */
export const verificationExamples: Examples = {
  list_verification_providers: {
    result: page({
      provider_id: 'idco',
      name: 'ID Company',
      field_types: ['email', 'legal_document'],
      max_days: 365,
      keys: [
        {
          kid: '2026-03',
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          until: null,
        },
      ],
    }),
  },
  request_verification: { body: { provider_id: 'idco' }, result: REQUEST },
  list_verification_requests: { result: page(REQUEST) },
  read_verification_request: {
    body: { proof: JWS },
    result: {
      verification_id: REQUEST.verification_id,
      user_id: 'user_ana',
      field: 'email',
      field_type: 'email',
      field_hash: 'c2e0a3b6d5f4c7988a1b0c3d2e5f4a7b6c9d8e1f0a3b2c5d4e7f6a9b8c1d0e3f',
      expires_at: REQUEST.expires_at,
    },
  },
  attest_value: { body: { attestation: JWS } },
  revoke_attestation: { body: { proof: JWS } },
  read_attestation: { result: { verification_id: REQUEST.verification_id, person_user_id: 'user_ana', attestation: JWS } },
};
