import { verifyToken, type Claims, type KnownKeys } from './access-token.ts';

/** Tokens whose signature was checked, newest last: a client sends the same one for an hour. */
const MOST = 10_000;

/** Verifies tokens, each signature once. What a token is worth now (expiry, epoch, end of its session) is asked every time. */
export class VerifiedTokens {
  private readonly known = new Map<string, Claims>();
  private generation: number;

  constructor(private readonly keys: KnownKeys) {
    this.generation = keys.generation;
  }

  claimsOf(token: string, now: Date): Claims | undefined {
    this.forgetOldKeys();
    const claims = this.known.get(token) ?? this.learn(token, now);
    return claims && claims.exp * 1000 > now.getTime() ? claims : undefined;
  }

  /** A key that was taken away takes its tokens along. */
  private forgetOldKeys(): void {
    if (this.generation === this.keys.generation) return;
    this.known.clear();
    this.generation = this.keys.generation;
  }

  private learn(token: string, now: Date): Claims | undefined {
    const claims = verifyToken(this.keys, now, token);
    if (!claims) return undefined;
    if (this.known.size >= MOST) this.known.delete(this.known.keys().next().value!);
    this.known.set(token, claims);
    return claims;
  }
}
