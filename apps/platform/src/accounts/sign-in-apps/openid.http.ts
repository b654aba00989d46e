import { Controller, Inject } from '@nestjs/common';
import { tokens } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { ID_TOKEN_KEYS, IdTokenKeys } from './id-token-keys.service.ts';

/** The keys with which apps verify an `id_token`. @gap D1-4.6 */
@Controller()
export class OpenidHttp {
  constructor(@Inject(ID_TOKEN_KEYS) private readonly keys: IdTokenKeys) {}

  @Serves(tokens.openidJwks)
  jwks() {
    return { keys: this.keys.jwks };
  }
}
