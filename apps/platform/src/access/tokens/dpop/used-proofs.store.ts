import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DEVICE_PROOF_SECONDS } from '@codase/contracts';
import { hasRow, type Db } from '@codase/runtime/db';

/** The database of this base: proofs that were used there are refused by all of its replicas. */
export const USED_PROOFS_DB = Symbol('database of used proofs');

/** Remembers proofs, so that each is used once. Only a proof that is right in everything else is remembered. */
@Injectable()
export class UsedProofs {
  constructor(@Inject(USED_PROOFS_DB) private readonly db: Db) {}

  /** Uses up what a key signed under a `jti`, in a transaction where one is given. Returns false when it was used before. */
  use(jkt: string, { jti, iat }: { jti: string; iat: number }, db: Db = this.db): Promise<boolean> {
    const proof_hash = createHash('sha256').update(`${jkt} ${jti}`).digest('base64url');
    const expires_at = new Date((iat + DEVICE_PROOF_SECONDS + 1) * 1000);
    return hasRow(db)`
      insert into used_proof (proof_hash, expires_at) values (${proof_hash}, ${expires_at})
      on conflict do nothing
      returning 1`;
  }
}
