import { verifyToken, type Claims, type KnownKeys } from './access-token.ts';

/** How many verified tokens are remembered: a client sends the same token for an hour. */
const MAX = 10_000;

/** Verifies each signature only once. Whether a token is still valid (expiry, epoch, end of its session) is checked at every call. */
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

  /** Forgets all tokens when the keys have changed, so that tokens of a removed key are refused. */
  private forgetOldKeys(): void {
    if (this.generation === this.keys.generation) return;
    this.known.clear();
    this.generation = this.keys.generation;
  }

  private learn(token: string, now: Date): Claims | undefined {
    const claims = verifyToken(this.keys, now, token);
    if (!claims) return undefined;
    if (this.known.size >= MAX) this.known.delete(this.known.keys().next().value!);
    this.known.set(token, claims);
    return claims;
  }
}
