import { createPublicKey } from 'node:crypto';
import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import type { TokenKeys } from '../../kit/config.ts';
import type { KnownKeys, SigningBase, VerificationKey } from './access-token.ts';
import { verificationKey } from './signing-key.service.ts';

/** The keys whose signatures are accepted, for a process that signs nothing. */
export const KNOWN_KEYS = Symbol('KnownKeys');

/** The public keys of all bases, by their ids. */
export class PublishedKeys implements KnownKeys, LiveKeys {
  private known: ReadonlyMap<string, { base: SigningBase; key: VerificationKey }>;
  generation = 0;

  constructor(private readonly published: Pick<LiveVariable<TokenKeys>, 'current' | 'reread'>) {
    this.known = keysById(published.current);
  }

  find(kid: string) {
    return this.known.get(kid);
  }

  reread(): void {
    if (!this.published.reread()) return;
    this.known = keysById(this.published.current);
    this.generation += 1;
  }

  ids(): Record<string, readonly string[]> {
    return { token_keys: [...this.known.keys()] };
  }
}

/** Returns the public keys of all bases, by their ids. A key that two bases shared would let one base sign for the other. */
export function keysById(published: TokenKeys): Map<string, { base: SigningBase; key: VerificationKey }> {
  const known = new Map<string, { base: SigningBase; key: VerificationKey }>();
  for (const [base, keys] of Object.entries(published))
    for (const jwk of keys) addKey(known, base, verificationKey(createPublicKey({ key: jwk, format: 'jwk' })));
  return known;
}

export function addKey(known: Map<string, { base: SigningBase; key: VerificationKey }>, base: SigningBase, key: VerificationKey): void {
  const other = known.get(key.kid)?.base ?? base;
  if (other !== base) throw new Error(`the key ${key.kid} is that of ${other} and of ${base}: a base needs keys of its own`);
  known.set(key.kid, { base, key });
}
