import { isCodeChallenge } from './authorization-request.ts';

describe('isCodeChallenge @spec D1-5.5', () => {
  it.each([undefined, '', 'c'.repeat(42), 'c'.repeat(44), `${'c'.repeat(42)}=`, `${'c'.repeat(43)}\n`])('rejects %j', (text) => {
    expect(isCodeChallenge(text)).toBe(false);
  });
});
