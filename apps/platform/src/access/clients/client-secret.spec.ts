import { createHmac } from 'node:crypto';
import { keyList } from '../../kit/secrets/key-list.ts';
import { digestSecret, hashSecret, matchesOldForm, matchingVerifier, verifierOf } from './client-secret.ts';

const [first, second] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];
const peppers = keyList(first);
const now = new Date('2026-01-01T12:00:00Z');
const kept = hashSecret(peppers, 'svc_1', digestSecret('hunter2'));
const matches = (verifier: ReturnType<typeof verifierOf>, secret: string) =>
  matchingVerifier(verifier ? [verifier] : [], digestSecret(secret), now) !== undefined;

describe('client secret @spec D1-2.1', () => {
  it('is stored only as a keyed hash, different for each client and pepper', () => {
    expect(kept).not.toContain('hunter2');
    expect(kept).not.toBe(hashSecret(peppers, 'svc_2', digestSecret('hunter2')));
    expect(kept.split(':')[1]).not.toBe(hashSecret(keyList(second), 'svc_1', digestSecret('hunter2')).split(':')[1]);
  });

  it('is verified with a key derived for its client, without the pepper', () => {
    const verifier = verifierOf(peppers, 'svc_1', kept);

    expect(matches(verifier, 'hunter2')).toBe(true);
    expect(Buffer.from(verifier!.key, 'base64url').equals(first)).toBe(false);
  });

  it('does not match another secret, another client or an unknown client', () => {
    expect(matches(verifierOf(peppers, 'svc_1', kept), 'hunter3')).toBe(false);
    expect(matches(verifierOf(peppers, 'svc_2', kept), 'hunter2')).toBe(false);
    expect(matchingVerifier([], digestSecret(''), now)).toBeUndefined();
  });

  it('is accepted repeatedly until it expires, and no other secret with it', () => {
    const verifier = verifierOf(peppers, 'svc_1', kept, new Date(now.getTime() + 1))!;
    const isGood = (secret: string, at = now) => matchingVerifier([verifier], digestSecret(secret), at) === verifier;

    expect([isGood('hunter2'), isGood('hunter2')]).toEqual([true, true]);
    expect([isGood('hunter3'), isGood(''), isGood('hunter2', new Date(now.getTime() + 1))]).toEqual([false, false, false]);
  });

  it('hashed with an older pepper is accepted and marked so, but cannot be verified without that pepper', () => {
    expect(verifierOf(keyList(second, first), 'svc_1', kept)).toMatchObject({ is_current: false });
    expect(matches(verifierOf(keyList(second, first), 'svc_1', kept), 'hunter2')).toBe(true);
    expect(verifierOf(keyList(second), 'svc_1', kept)).toBeUndefined();
  });

  it('is accepted until its end after it was replaced', () => {
    const at = (ms: number) => verifierOf(peppers, 'svc_1', kept, new Date(now.getTime() + ms));

    expect([1, 0, -1].map((ms) => matches(at(ms), 'hunter2'))).toEqual([true, false, false]);
  });

  it('hashed in the old form can be verified only with the pepper', () => {
    const old = `1:${createHmac('sha256', first).update('hunter2').digest('base64url')}`;

    expect(verifierOf(peppers, 'svc_1', old)).toBeUndefined();
    expect(matchesOldForm(keyList(second, first), 'hunter2', old)).toBe(true);
    expect(matchesOldForm(peppers, 'hunter3', old)).toBe(false);
    expect(matchesOldForm(peppers, 'hunter2', kept)).toBe(false);
  });
});
