import type { LiveKeys, LiveVariable } from '@codase/runtime/config';
import { readSigningKeys, type SigningKey, type VerificationKey } from '../../access/tokens/index.ts';

export const ID_TOKEN_KEYS = Symbol('IdTokenKeys');

/**
 * The keys that sign every `id_token`, of which the first signs. They sign nothing else: an app that trusts them, and looks at neither the
 * type nor the audience of a token, takes no access token for a sign-in. @gap D1-4.6
 */
export class IdTokenKeys implements LiveKeys {
  private own: readonly SigningKey[];
  generation = 0;

  constructor(private readonly signing: Pick<LiveVariable<string>, 'current' | 'reread'>) {
    this.own = readSigningKeys(VARIABLE, signing.current, []);
  }

  /** The key that signs. */
  get current(): SigningKey {
    return this.own[0]!;
  }

  /** The public keys, as apps read them at `jwks_uri`: the last, the current and the next one. */
  get jwks(): VerificationKey['jwk'][] {
    return this.own.map(({ jwk }) => jwk);
  }

  reread(): void {
    if (!this.signing.reread()) return;
    this.own = readSigningKeys(VARIABLE, this.signing.current, this.own);
    this.generation += 1;
  }

  ids(): Record<string, readonly string[]> {
    return { id_token_signing_key: this.own.map(({ kid }) => kid) };
  }
}

const VARIABLE = 'ID_TOKEN_SIGNING_KEY';
