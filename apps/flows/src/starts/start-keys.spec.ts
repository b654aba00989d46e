import { bodyDigest, startKey } from './start-keys.ts';

describe('idempotency key of a start', () => {
  const asked = { flow_id: 'flow_1', idempotency_key: 'order-1', targets: { a: { connection_id: 'c1' }, b: { connection_id: 'c2' } } };

  it('is separate for each bus user', () => {
    expect(startKey('shop', asked)).toMatch(/^[0-9a-f]{64}$/);
    expect(startKey('shop', asked)).toBe(startKey('shop', { idempotency_key: 'order-1' }));
    expect(startKey('desk', asked)).not.toBe(startKey('shop', asked));
    expect(startKey('shop', { idempotency_key: 'order-2' })).not.toBe(startKey('shop', asked));
  });

  it('is tied to the body of the request, regardless of the order of its members', () => {
    const { a, b } = asked.targets;
    expect(bodyDigest({ ...asked, targets: { b, a } })).toBe(bodyDigest(asked));
    expect(bodyDigest({ ...asked, bindings: {} })).toBe(bodyDigest(asked));
    const changes: object[] = [{ flow_id: 'flow_2' }, { targets: { a } }, { targets: { a: b, b: a } }, { bindings: { x: 'usr_1' } }];
    for (const change of changes) expect(bodyDigest({ ...asked, ...change })).not.toBe(bodyDigest(asked));
  });
});
