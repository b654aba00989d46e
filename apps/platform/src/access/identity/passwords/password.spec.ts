import { scryptSync } from 'node:crypto';
import { hashPassword, passwordMatches } from './password.ts';

describe('password hash', () => {
  it('contains its cost and a random salt, and never the password', async () => {
    const [first, second] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);

    expect(first).toMatch(/^scrypt\$ln=15,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
    expect(first).not.toContain('correct');
    expect(first).not.toBe(second);
  });

  it('matches only its own password', async () => {
    const hash = await hashPassword('correct horse');

    expect(await passwordMatches('correct horse', hash)).toBe(true);
    expect(await passwordMatches('correct horse ', hash)).toBe(false);
    expect(await passwordMatches('', hash)).toBe(false);
  });

  it('matches the same password typed with decomposed Unicode characters', async () => {
    expect(await passwordMatches('cafe\u0301 au lait', await hashPassword('caf\u00e9 au lait'))).toBe(true);
  });

  it('still matches after the hash cost was raised', async () => {
    const cheaper = scryptSync('correct horse', Buffer.alloc(16, 1), 32, { N: 1024, r: 8, p: 1 });

    expect(
      await passwordMatches(
        'correct horse',
        `scrypt$ln=10,r=8,p=1$${Buffer.alloc(16, 1).toString('base64url')}$${cheaper.toString('base64url')}`,
      ),
    ).toBe(true);
  });

  it('of an unknown user takes as long to check as a wrong password, and never matches', async () => {
    const hash = await hashPassword('correct horse');
    const effortOf = async (kept: string | null) => {
      const before = process.cpuUsage(); // CPU time, because other work of the machine does not change it
      expect(await passwordMatches('wrong', kept)).toBe(false);
      return process.cpuUsage(before).user;
    };
    const known = await effortOf(hash);

    expect(await effortOf(null)).toBeGreaterThan(known / 4);
    expect(await effortOf('in some other form')).toBeGreaterThan(known / 4);
  });
});
