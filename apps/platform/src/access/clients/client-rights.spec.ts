import { ACCOUNT_BASELINE, FIRST_PARTY_PATTERNS, SERVICE_PATTERNS } from '@codase/contracts';
import { backfilled, isManaged, patternsFor } from './client-rights.ts';

const account = { client_id: 'acct_x', kind: 'account' as const };
const service = { client_id: 'svc_x', kind: 'service' as const, capabilities: [] };

describe('client rights @spec D1-5.7 @spec D1-5.8', () => {
  it('are a fixed whitelist for a service client', () => {
    expect(patternsFor(service)).toEqual(SERVICE_PATTERNS);
  });

  it('are the baseline and the capability groups of an account client, without duplicates', () => {
    expect(patternsFor({ ...account, capabilities: [] })).toEqual(ACCOUNT_BASELINE);
    expect(patternsFor({ ...account, capabilities: ['service_management', 'oauth_apps'] })).toEqual([
      ...ACCOUNT_BASELINE,
      '/api/services*',
      '/api/account/recovery-*',
      '/api/account/oauth-apps*',
    ]);
  });

  it('are separate whitelists for the portal and the phone app', () => {
    expect(patternsFor({ client_id: 'app_portal', kind: 'portal', capabilities: [] })).toEqual(FIRST_PARTY_PATTERNS.app_portal);
    expect(patternsFor({ client_id: 'app_person', kind: 'person', capabilities: [] })).toEqual(FIRST_PARTY_PATTERNS.app_person);
  });

  it('are extended for service clients and recomputed for account clients by a backfill @spec D1-9', () => {
    expect(backfilled({ ...service, patterns: ['/api/old', '/api/keys/*'] })).toEqual([
      '/api/old',
      '/api/keys/*',
      ...SERVICE_PATTERNS.filter((known) => known !== '/api/keys/*'),
    ]);
    expect(backfilled({ ...account, capabilities: [], patterns: ['*'] })).toEqual(ACCOUNT_BASELINE);
  });

  it.each([
    ['crm:x', true],
    ['shopify:', true],
    ['crmx', false],
    ['my.crm:x', false],
    [null, false],
  ])('treat a client with purpose %s as managed by the platform: %s', (purpose, managed) => {
    expect(isManaged(purpose)).toBe(managed);
  });
});
