import { X509Certificate } from 'node:crypto';
import type { CompanyDocument } from '@codase/contracts';
import { verify, type Verdict, type Verification } from '@codase/pdf/verify';

/** What is wrong with a copy: a verdict on the PDF, or `other_document`, a genuine seal around other bytes than those that were sent. */
export type CopyFault = Exclude<Verdict, 'sealed'> | 'other_document';

const IN_WORDS: Readonly<Record<CopyFault, string>> = {
  altered_after_seal: 'something was added after the seal',
  altered: 'the seal does not fit the bytes',
  signed_by_others: 'it is sealed by a certificate that is not of the platform, or of a region that could not be asked: try again later',
  not_signed: 'it has no seal',
  unreadable: 'it is no PDF that can be read',
  other_document: 'the bytes that were signed are not those that were sent: their SHA-256 is another',
};

/** Thrown when the company's copy is not what the platform sealed, or is of another contract. Do not rely on it; tell the platform. */
export class UnverifiedDocument extends Error {
  override readonly name = 'UnverifiedDocument';

  constructor(
    readonly document_id: string,
    readonly fault: CopyFault,
    readonly verification: Verification,
  ) {
    super(`The sealed copy of ${document_id} does not verify: ${IN_WORDS[fault]}`);
  }
}

/** Verifies that this platform sealed the whole copy, to its last byte, around the bytes of this digest. Throws otherwise. @spec D1-2.12 */
export function verifyCopy(
  { id }: Pick<CompanyDocument, 'id'>,
  pdf: Buffer,
  { certificates, plain_sha256 }: { certificates: readonly string[]; plain_sha256: string | null },
): Verification {
  const found = verify(pdf, { certificates: certificates.map((pem) => new X509Certificate(pem)) });
  const fault = found.verdict === 'sealed' ? faultOfContent(found, plain_sha256) : found.verdict;
  if (fault) throw new UnverifiedDocument(id, fault, found);
  return found;
}

/** Compares the digest with the seal that covers the whole file: another seal may be older, and of other bytes. */
function faultOfContent({ signatures }: Verification, plain_sha256: string | null): CopyFault | undefined {
  const seals = signatures.filter(
    ({ state, by_this_platform, covers_whole_file }) => state === 'whole' && by_this_platform && covers_whole_file,
  );
  return plain_sha256 !== null && seals.every(({ signed }) => signed?.sha256 === plain_sha256) ? undefined : 'other_document';
}
