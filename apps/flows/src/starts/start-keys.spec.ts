import { bodyDigest, startKey } from './start-keys.ts';

describe('idempotency key of a start', () => {
  const request = { flow_id: 'flow_1', idempotency_key: 'order-1', targets: { a: { connection_id: 'c1' }, b: { connection_id: 'c2' } } };

  it('is separate for each bus user', () => {
    expect(startKey('shop', request)).toMatch(/^[0-9a-f]{64}$/);
    expect(startKey('shop', request)).toBe(startKey('shop', { idempotency_key: 'order-1' }));
    expect(startKey('desk', request)).not.toBe(startKey('shop', request));
    expect(startKey('shop', { idempotency_key: 'order-2' })).not.toBe(startKey('shop', request));
  });

  it('is tied to the body of the request, regardless of the order of its members', () => {
    const { a, b } = request.targets;
    expect(bodyDigest({ ...request, targets: { b, a } })).toBe(bodyDigest(request));
    expect(bodyDigest({ ...request, bindings: {} })).toBe(bodyDigest(request));
    const changes: object[] = [{ flow_id: 'flow_2' }, { targets: { a } }, { targets: { a: b, b: a } }, { bindings: { x: 'usr_1' } }];
    for (const change of changes) expect(bodyDigest({ ...request, ...change })).not.toBe(bodyDigest(request));
  });
});
