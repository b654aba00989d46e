import type { Examples } from '../core/example.ts';
import { AT, LATER, page } from '../core/samples.ts';

const OUTCOME = { status: 'approved', completed_at: LATER };
const CARD = {
  challenge_id: 'chal_c05b',
  service_id: 'shop_4d1e',
  service_name: 'Acme Shop',
  context: 'Sign-in from Berlin',
  number_matching: true,
  created_at: AT,
  expires_at: LATER,
};

/** Examples, by the names of the endpoints. */
export const twofaExamples: Examples = {
  list_challenges: { result: page(CARD) },
  approve_challenge: { body: { gate: 'biometric', digits: '42' }, result: OUTCOME },
  deny_challenge: { result: { ...OUTCOME, status: 'denied' } },
  list_enrolments: { result: page({ service_id: 'shop_4d1e', service_name: 'Acme Shop', enrolled_at: AT }) },
  raise_challenge: {
    body: { share_code: 'K7M2QX', idempotency_key: 'login-2026-03-02-0001', context: 'Sign-in to Acme Shop from Berlin' },
    result: { challenge_id: 'chal_c05b', status: 'pending', expires_at: LATER, matching_digits: '42' },
  },
  poll_challenge: { result: { status: 'approved', completed_at: LATER } },
};
