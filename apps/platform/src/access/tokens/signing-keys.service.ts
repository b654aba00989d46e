import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import type { TokenKeys } from '../../kit/config.ts';
import { pemBlocks } from '../../kit/secrets/pem-blocks.ts';
import type { KnownKeys, SigningBase, SigningKey, VerificationKey } from './access-token.ts';
import { addKey, keysById } from './published-keys.service.ts';
import { readSigningKey } from './signing-key.service.ts';

export const SIGNING_KEYS = Symbol('SigningKeys');

/**
 * The private keys of this base, of which the first signs tokens, and the public keys of all bases, which verify them. Both are lists, so
 * that a key is known everywhere before it signs, and as long as its last token lives.
 */
export class SigningKeys implements KnownKeys, LiveKeys {
  private own: readonly SigningKey[] = [];
  private known = new Map<string, { base: SigningBase; key: VerificationKey }>();
  generation = 0;

  constructor(
    private readonly base: SigningBase,
    private readonly signing: Pick<LiveVariable<string>, 'current' | 'reread'>,
    private readonly published: Pick<LiveVariable<TokenKeys>, 'current' | 'reread'>,
  ) {
    this.read();
  }

  /** The key that signs. */
  get current(): SigningKey {
    return this.own[0]!;
  }

  /** The public keys of all bases, as /oauth2/jwks publishes them: of each base the last, the current and the next. */
  get jwks(): VerificationKey['jwk'][] {
    return [...this.known.values()].map(({ key }) => key.jwk);
  }

  /** The public keys of one base. */
  ofBase(base: SigningBase): VerificationKey[] {
    return [...this.known.values()].filter((known) => known.base === base).map(({ key }) => key);
  }

  find(kid: string) {
    return this.known.get(kid);
  }

  reread(): void {
    const isOther = [this.signing.reread(), this.published.reread()].includes(true);
    if (isOther) this.read();
  }

  ids(): Record<string, readonly string[]> {
    return { token_signing_key: this.own.map(({ kid }) => kid), token_keys: [...this.known.keys()] };
  }

  private read(): void {
    const own = readSigningKeys('TOKEN_SIGNING_KEY', this.signing.current, this.own);
    const known = new Map<string, { base: SigningBase; key: VerificationKey }>();
    for (const key of own) addKey(known, this.base, key);
    for (const { base, key } of keysById(this.published.current).values()) addKey(known, base, key);
    this.own = own;
    this.known = known;
    this.generation += 1;
  }
}

const noKey = (variable: string) => new Error(`${variable} holds something other than EC P-256 private keys in PEM`);

/** Reads a key. The error leaves out its cause, which might reveal what the variable holds. */
function readKey(variable: string, pem: string): SigningKey {
  try {
    return readSigningKey(pem);
  } catch {
    throw noKey(variable);
  }
}

/** Reads the private keys of a variable. A key that was there before keeps its thread. */
export function readSigningKeys(variable: string, text: string, before: readonly SigningKey[]): SigningKey[] {
  const keys = pemBlocks(text).map((pem) => readKey(variable, pem));
  if (keys.length === 0) throw noKey(variable);
  const kept = keys.map((key) => before.find(({ kid }) => kid === key.kid) ?? key);
  for (const { signing } of before.filter((key) => !kept.includes(key))) signing.close();
  return kept;
}
