import { ENDPOINTS } from './endpoints.ts';
import {
  ACCOUNT_BASELINE,
  capabilitiesFor,
  FIRST_PARTY_PATTERNS,
  isAllowed,
  NEVER_GRANTABLE,
  SERVICE_PATTERNS,
} from './clients/whitelist.ts';
import type { Endpoint } from './core/endpoint.ts';
import { names } from './laws.check.ts';

const PATTERNS = { service: SERVICE_PATTERNS, portal: FIRST_PARTY_PATTERNS.app_portal, person: FIRST_PARTY_PATTERNS.app_person };

describe('the endpoint declarations @spec D1-5.7 @spec D1-5.8', () => {
  it.each(['service', 'portal', 'person'] as const)('name a %s client as a caller only where its patterns allow it', (kind) => {
    expect(names(({ callers, path }) => callers.includes(kind) && !isAllowed(PATTERNS[kind], path))).toEqual([]);
  });

  it('name an account client as a caller only where its baseline or a group allows it', () => {
    const isReachable = (path: string) => isAllowed(ACCOUNT_BASELINE, path) || capabilitiesFor(path).length > 0;

    expect(names(({ callers, path }) => callers.includes('account') && !isReachable(path))).toEqual([]);
  });

  it('name only the portal where nothing is ever granted, and use each such pattern', () => {
    expect(names(({ callers, path }) => isAllowed(NEVER_GRANTABLE, path) && callers.join() !== 'portal')).toEqual([]);
    expect(NEVER_GRANTABLE.filter((pattern) => !ENDPOINTS.some(({ path }) => isAllowed([pattern], path)))).toEqual([]);
  });

  it('name only service clients for person data, and no machine clients for the consumer app @spec D1-2.1', () => {
    expect(names(({ callers, path }) => path.startsWith('/api/company-data/') && callers.join() !== 'service')).toEqual([]);
    const isForMachines = ({ callers }: Endpoint) => callers.includes('service') || callers.includes('account');
    expect(names((e) => e.path.startsWith('/api/app/') && isForMachines(e))).toEqual([]);
  });

  it('require a token at a region, except to issue one, to read public keys and the transparency log, and for what providers sign', () => {
    expect(names(({ at, callers }) => at.includes('region') && callers.includes('anyone')).toSorted()).toEqual([
      'attest_value',
      'issue_token',
      'prove_key',
      'read_log_head',
      'read_log_keys',
      'read_log_leaves',
      'read_log_mirror',
      'read_verification_request',
      'revoke_attestation',
      'webhook_keys',
    ]);
  });

  it('give the heavy routes rate limits of their own @spec D1-5.4', () => {
    expect(names(({ limit }) => limit === 'connections')).toEqual(['list_connections']);
    expect(names(({ limit }) => limit === 'changes')).toEqual(['drain_changes', 'drain_customer_changes']);
    expect(names(({ path, limit }) => path === '/oauth2/token' && limit !== 'token')).toEqual([]);
  });
});
