import fc from 'fast-check';
import {
  ACCOUNT_BASELINE,
  capabilitiesFor,
  FIRST_PARTY_PATTERNS,
  isAllowed,
  matchesPattern,
  NEVER_GRANTABLE,
  SERVICE_PATTERNS,
} from './whitelist.ts';

describe('a whitelist pattern @spec D1-5.7', () => {
  it.each([
    ['/api/company-data/*', '/api/company-data/connections/{connectionId}/slots/{serviceFieldId}/file', true],
    ['/api/company-data/*', '/api/company-data', false],
    ['/api/contact-fields*', '/api/contact-fields', true],
    ['/api/contact-fields*', '/api/contact-field-types', false],
    ['/api/account', '/api/account/clients', false],
    ['/api/account/recovery-*', '/api/account/recovery-copies/{copyId}/recover', true],
    ['/api/keys*', '/api/keys/{shareCode}', true],
  ])('%s covers %s: %s', (pattern, path, covered) => {
    expect(matchesPattern(pattern, path)).toBe(covered);
  });

  it('matches like a regular expression with .* in place of each *', () => {
    const pieces = fc.array(fc.constantFrom('a', 'b', '/', 'ab', '*'), { maxLength: 8 }).map((parts) => parts.join(''));
    const paths = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 12 }).map((parts) => parts.join(''));

    fc.assert(
      fc.property(pieces, paths, (pattern, path) => {
        expect(matchesPattern(pattern, path)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(path));
      }),
    );
  });
});

describe('the whitelists', () => {
  it('keep a service client out of the portal, the consumer app and the account', () => {
    expect(
      ['/api/services', '/api/account', '/api/app/challenges', '/api/portal/flows', '/api/company-connections'].some((path) =>
        isAllowed(SERVICE_PATTERNS, path),
      ),
    ).toBe(false);
  });

  it("grant what is never granted only to the portal's client", () => {
    const granted = [...SERVICE_PATTERNS, ...ACCOUNT_BASELINE, ...FIRST_PARTY_PATTERNS.app_person];
    const paths = NEVER_GRANTABLE.map((pattern) => pattern.replace('*', '/x'));

    expect(paths.filter((path) => isAllowed(granted, path) || capabilitiesFor(path).length > 0)).toEqual([]);
    expect(paths.filter((path) => !isAllowed(FIRST_PARTY_PATTERNS.app_portal, path))).toEqual([]);
  });

  it.each([
    ['/api/services/{id}/webhooks', ['service_management']],
    ['/api/account/recovery-copies', ['service_management', 'oauth_apps']],
    ['/api/keys/{shareCode}', ['customer_connections']],
    ['/api/account/password', []],
    ['/api/company-data/whoami', []],
  ])('list the groups that can reach %s', (path, capabilities) => {
    expect(capabilitiesFor(path)).toEqual(capabilities);
  });
});
