import { Inject, Injectable } from '@nestjs/common';
import { BASES, type Bases } from '../../foundation/regions/index.ts';
import { FRONT_DOOR_BASE, SIGNING_KEYS, SigningKeys } from '../tokens/index.ts';
import { logAddress } from './transparency-log.service.ts';

/** The public keys that sign the heads of each base. */
@Injectable()
export class LogSigners {
  constructor(
    @Inject(SIGNING_KEYS) private readonly keys: SigningKeys,
    @Inject(BASES) private readonly bases: Bases,
  ) {}

  all() {
    const names = [FRONT_DOOR_BASE, ...this.bases.regions.map(({ region }) => region)];
    return names.map((base) => ({ base, address: logAddress(this.bases, base), keys: this.of(base) }));
  }

  of(base: string) {
    return this.keys.ofBase(base).map(({ jwk: { kty, crv, x, y, kid } }) => ({ kty, crv, x, y, kid }));
  }
}
