import { isAttested } from '@codase/crypto';
import type { Db } from '@codase/runtime/db';
import { listVerifications } from '../../sharing/connections/index.ts';

/**
 * Whether both names are verified and their verifications have not expired. The values themselves are not read. @spec D1-6.2 @spec D1-2.7
 */
export async function isVerifiedName(
  db: Db,
  user_id: string,
  { signer_first_name, signer_last_name }: { signer_first_name: string; signer_last_name: string },
  now: Date,
): Promise<boolean> {
  const names = { first_name: signer_first_name, last_name: signer_last_name };
  const known = await listVerifications(db, user_id, Object.keys(names));
  const verified = known.filter(({ verification: { verified_expires_at: end } }) => !end || Date.parse(end) > now.getTime());
  const attested = await Promise.all(verified.map(({ slug, verification }) => isAttested(verification, names[slug as keyof typeof names])));
  return attested.filter(Boolean).length === Object.keys(names).length;
}
