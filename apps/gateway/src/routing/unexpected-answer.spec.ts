import { companyData } from '@codase/contracts';
import { UnexpectedAnswer } from '@codase/runtime/http';
import { refusalByStatus } from './unexpected-answer.ts';

const answered = (status: number, retryAfter?: string) => new UnexpectedAnswer(companyData.whoami, status, retryAfter);

describe('answer without a known error key @gap D1-7', () => {
  it.each([
    [401, undefined, { key: 'auth.token_invalid' }],
    [429, '7', { key: 'rate_limit.exceeded', retryAfter: 7 }],
    [429, undefined, { key: 'rate_limit.exceeded', retryAfter: 1 }],
    [409, undefined, { key: 'gateway.refusal_unknown', message: expect.stringContaining('HTTP 409') as string }],
  ])('is mapped by its status: %d with Retry-After %s', (status, retryAfter, meant) => {
    expect(refusalByStatus(answered(status, retryAfter))).toMatchObject(meant);
  });

  it('is left as it is when it is no refusal', () => {
    for (const error of [answered(302), answered(502), new Error('gone')]) expect(refusalByStatus(error)).toBe(error);
  });
});
