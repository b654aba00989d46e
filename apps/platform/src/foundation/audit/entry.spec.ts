import { auditRow, keptAddress } from './entry.ts';

describe('audit row', () => {
  const at = new Date('2026-01-01T12:00:00Z');

  it('takes the initiator from the current request unless the act names one', () => {
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

  it('truncates a client id from an unauthenticated request to the length of an id', () => {
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
  ] as const)('stores address %s under policy %s as %s', (address, policy, kept) => {
    expect(keptAddress(address, policy)).toBe(kept);
  });
});
