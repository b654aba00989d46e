import { auditRow, keptAddress } from './entry.ts';

describe('a row of the audit', () => {
  const at = new Date('2026-01-01T12:00:00Z');

  it('says who acts by the request under way, unless that is said of the act itself', () => {
    const known = { user_id: 'usr_1', client_id: 'app_portal', address: '192.0.2.1' };

    expect(auditRow({ act: 'client.created', outcome: 'done', object: 'acct_1' }, known, at, 'full')).toEqual({
      at,
      act: 'client.created',
      outcome: 'done',
      initiator: 'usr_1',
      client_id: 'app_portal',
      address: '192.0.2.1',
      account_id: null,
      object: 'acct_1',
      details: {},
    });
    expect(auditRow({ act: 'level.changed', outcome: 'done', initiator: 'operator' }, undefined, at, 'full')).toMatchObject({
      initiator: 'operator',
      client_id: null,
      address: null,
    });
  });

  it('keeps no more of a name that a stranger sent than an id is long', () => {
    const { client_id } = auditRow(
      { act: 'token.refused', outcome: 'oauth.invalid_client', client_id: 'x'.repeat(10_000) },
      {},
      at,
      'full',
    );

    expect(client_id).toHaveLength(200);
  });

  it.each([
    ['192.0.2.77', 'full', '192.0.2.77'],
    ['::ffff:192.0.2.77', 'full', '192.0.2.77'],
    ['192.0.2.77', 'network', '192.0.2.0/24'],
    ['2001:db8:7:1::5', 'network', '2001:db8:7::/48'],
    ['::1', 'network', '0:0:0::/48'],
    ['192.0.2.77', 'none', null],
  ] as const)('keeps of %s by the policy %s: %s', (address, policy, kept) => {
    expect(keptAddress(address, policy)).toBe(kept);
  });
});
