import { refused } from '../core/refused.check.ts';
import { NewChallenge } from './shapes.ts';

const challenge = { share_code: 'K7M2QX', idempotency_key: 'login-1', context: 'Sign-in from Berlin' };

describe('a request to raise a challenge', () => {
  it.each([
    ['as it is', {}, undefined],
    ['without a share code', { share_code: undefined }, 'twofa.share_code_required'],
    ['with an empty share code', { share_code: '' }, 'twofa.share_code_required'],
    ['with a share code nobody can have', { share_code: 'x'.repeat(65) }, 'twofa.not_enrolled'],
    ['without a key', { idempotency_key: undefined }, 'twofa.idempotency_key_required'],
    ['with a key too long', { idempotency_key: 'x'.repeat(256) }, 'twofa.idempotency_key_required'],
    ['without a context', { context: undefined }, undefined],
    ['with 256 characters', { context: '🔑'.repeat(256) }, undefined],
    ['with 257 characters', { context: '🔑'.repeat(257) }, 'twofa.context_too_long'],
    ['with a line break', { context: 'Sign-in\nApproved' }, 'request.invalid'],
    ['with letters turned around', { context: 'Sign-in \u202eelgoog' }, 'request.invalid'],
  ])('is validated by share code, idempotency key and context: %s', (_, change, key) => {
    expect(refused(NewChallenge, { ...challenge, ...change })).toBe(key);
  });
});
