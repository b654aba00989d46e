import { createHash } from 'node:crypto';
import { signDigest, type SealIdentity } from './cms/signed-data.ts';
import { MAX_TOKEN_BYTES, requestTimestamp, type TimestampAuthority } from './cms/timestamp.ts';
import type { PdfLimits } from './limits.ts';
import { prepareSeal, type PreparedSeal, type SealWords } from './prepare-seal.ts';

export interface SealOptions extends SealIdentity, SealWords {
  timestampAuthority?: TimestampAuthority | undefined;
  signedLength?: number | undefined;
  limits?: Partial<PdfLimits> | undefined;
}

/** Seals a PDF by an incremental update, which begins with exactly the given bytes. PAdES baseline, B-B or B-T. @spec D1-2.12.5 */
export async function seal(pdf: Buffer, options: SealOptions): Promise<Buffer> {
  return signPrepared(pdf, prepareSeal(pdf, { ...options, signatureBytes: signatureBytes(options) }), options);
}

/** Signs a prepared seal. It parses nothing of the PDF, so the key is never in a process that parses one. */
export async function signPrepared(
  pdf: Buffer,
  { update, gap }: PreparedSeal,
  { timestampAuthority, ...identity }: SealIdentity & Pick<SealOptions, 'timestampAuthority'>,
): Promise<Buffer> {
  const sealed = Buffer.concat([pdf, update]);
  const isInside = gap.start > pdf.length && gap.end < sealed.length && sealed[gap.start] === 0x3c && sealed[gap.end - 1] === 0x3e;
  if (!isInside) throw new Error('The place of the signature is not inside the update.');
  const digest = createHash('sha256').update(sealed.subarray(0, gap.start)).update(sealed.subarray(gap.end)).digest();
  const stamp = timestampAuthority && ((signature: Buffer) => requestTimestamp(signature, timestampAuthority));
  const signature = (await signDigest(digest, identity, stamp)).toString('hex');
  if (signature.length > gap.end - gap.start - 2) throw new Error('The signature is longer than the room that was kept for it.');
  sealed.write(signature, gap.start + 1, 'latin1');
  return sealed;
}

/** Returns how many bytes a signature needs: its certificates, the signature itself, and a timestamp token when an authority is given. */
export function signatureBytes({
  certificate,
  chain = [],
  timestampAuthority,
}: SealIdentity & Pick<SealOptions, 'timestampAuthority'>): number {
  const certificates = [certificate, ...chain].reduce((sum, { raw }) => sum + raw.length + 64, 0);
  return certificates + 2048 + (timestampAuthority ? MAX_TOKEN_BYTES : 0);
}
