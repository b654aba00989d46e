import { isCodeChallenge } from './authorization-request.ts';

describe('the proof of who began @spec D1-5.5', () => {
  it.each([undefined, '', 'c'.repeat(42), 'c'.repeat(44), `${'c'.repeat(42)}=`, `${'c'.repeat(43)}\n`])(
    'takes %j for no challenge',
    (text) => {
      expect(isCodeChallenge(text)).toBe(false);
    },
  );
});
