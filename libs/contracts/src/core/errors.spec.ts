import { ANYWHERE, ERRORS, isErrorKey, OWN_ERRORS, RETRY_ADVICE, retryAdvice, SPEC_ERRORS, statusesOf, type ErrorKey } from './errors.ts';

const KEYS = Object.keys(ERRORS) as ErrorKey[];

describe('the error catalogue @spec D1-7 @spec D2-7', () => {
  it('holds no error key of our own that the specification also defines', () => {
    expect(Object.keys(OWN_ERRORS).filter((key) => Object.hasOwn(SPEC_ERRORS, key))).toEqual([]);
  });

  it.each(KEYS)('gives %s a 4xx or 5xx status and a message without a final full stop', (key) => {
    const [, message] = ERRORS[key];

    expect(key).toMatch(/^[a-z_]+\.[a-z0-9_]+$/);
    expect(statusesOf(key).every((status) => status >= 400 && status < 600)).toBe(true);
    expect(message).toMatch(/^[a-zA-Z].*[^.]$/);
  });

  it('gives a Retry-After time only to keys with status 503 @spec D1-8', () => {
    const timed = KEYS.filter((key) => retryAdvice(key).seconds !== undefined);

    expect(timed.map((key) => [key, retryAdvice(key).seconds])).toEqual(
      expect.arrayContaining([
        ['db.writes_paused', 30],
        ['platform.out_of_order', 300],
      ]),
    );
    expect(timed.filter((key) => ERRORS[key][0] !== 503)).toEqual([]);
  });

  it('advises a retry for 429 and 5xx but never for a malformed request', () => {
    const passing = KEYS.filter((key) => ERRORS[key][0] >= 500 || ERRORS[key][0] === 429);

    expect(passing.filter((key) => retryAdvice(key).retry === 'never')).toEqual([]);
    expect(Object.keys(RETRY_ADVICE).every(isErrorKey)).toBe(true);
    expect([retryAdvice('request.invalid').retry, retryAdvice('db.writes_paused').retry]).toEqual(['never', 'later']);
  });

  it('gives two statuses only to company_connections.persons_only', () => {
    expect(KEYS.filter((key) => statusesOf(key).length > 1)).toEqual(['company_connections.persons_only']);
  });

  it('recognises its own keys but no inherited property names', () => {
    expect(isErrorKey('flows.not_found')).toBe(true);
    expect(['toString', '__proto__', '', undefined, 404].some(isErrorKey)).toBe(false);
    expect(ANYWHERE.every(isErrorKey)).toBe(true);
  });
});
