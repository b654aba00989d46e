import { generateKeyPairSync } from 'node:crypto';
import { signToken } from './access-token.ts';
import { SigningKeys } from './signing-keys.service.ts';
import { readSigningKey } from './signing-key.service.ts';
import { VerifiedTokens } from './verified-tokens.ts';

const pem = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const [first, second, ofEu] = [pem(), pem(), pem()];
const kidOf = (text: string) => readSigningKey(text).kid;
const now = new Date('2026-01-01T12:00:00Z');
const claims = { iss: 'http://front-door', sub: 'svc_1', client_id: 'svc_1', gen: 1, jti: 'j1' };

/** A variable whose file the test writes. */
class Written<T> {
  private isRead = true;
  constructor(public current: T) {}

  writes(value: T): void {
    this.current = value;
    this.isRead = false;
  }

  reread(): boolean {
    const isOther = !this.isRead;
    this.isRead = true;
    return isOther;
  }
}

describe('keys that sign access tokens', () => {
  const start = (text: string) => {
    const file = new Written(text);
    return { file, keys: new SigningKeys('front-door', file, new Written({ eu: [readSigningKey(ofEu).jwk] })) };
  };

  it('include those of all bases, and the first own key signs', async () => {
    const { keys } = start(`# for people\n${first}${second}`);

    expect(keys.current.kid).toBe(kidOf(first));
    expect(keys.jwks.map(({ kid }) => kid)).toEqual([first, second, ofEu].map(kidOf));
    expect(keys.find(kidOf(ofEu))).toMatchObject({ base: 'eu' });
  });

  it('are rotated without rejecting a token: any listed key is accepted, whether it signs or not', async () => {
    const { keys, file } = start(first);
    const tokens = new VerifiedTokens(keys);
    const old = await signToken(keys.current, now, claims);
    file.writes(first + second);
    keys.reread();
    expect(tokens.claimsOf(await signToken(readSigningKey(second), now, claims), now)).toBeDefined();

    file.writes(second + first);
    keys.reread();
    expect(keys.current.kid).toBe(kidOf(second));
    expect(tokens.claimsOf(old, now)).toMatchObject({ signed_by: 'front-door' });

    file.writes(second);
    keys.reread();
    expect(tokens.claimsOf(old, now)).toBeUndefined();
  });

  it('stay in use when the changed file is invalid', () => {
    const { keys, file } = start(first);
    const faulty = '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----';

    for (const text of [faulty, 'no PRIVATE KEY']) {
      file.writes(text);
      expect(() => keys.reread()).toThrow('EC P-256 private keys in PEM');
    }
    expect(keys.current.kid).toBe(kidOf(first));
  });

  it('are refused when two bases have the same key', () => {
    expect(() => start(ofEu)).toThrow('a base needs keys of its own');
  });
});
