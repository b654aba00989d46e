import { hashSecret, secretMatches } from './client-secret.ts';

const pepper = { id: '1', key: Buffer.alloc(32, 7) };

describe('a client secret @spec D1-2.1', () => {
  it('is kept as a keyed hash that does not hold it', () => {
    const hash = hashSecret(pepper, 'hunter2');

    expect(hash).not.toContain('hunter2');
    expect(hash).not.toBe(hashSecret({ ...pepper, key: Buffer.alloc(32, 8) }, 'hunter2'));
    expect(secretMatches(pepper, 'hunter2', hash)).toBe(true);
  });

  it('matches nothing else, and an unknown client never', () => {
    expect(secretMatches(pepper, 'hunter3', hashSecret(pepper, 'hunter2'))).toBe(false);
    expect(secretMatches(pepper, '', undefined)).toBe(false);
  });
});
