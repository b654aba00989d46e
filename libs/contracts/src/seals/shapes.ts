import { z } from 'zod';
import { named } from '../core/named.ts';
import { Sha256 } from '../core/text.ts';

/** The verdict on a PDF. @spec D1-2.12.5 */
export const SealVerdict = z.enum(['sealed', 'altered_after_seal', 'altered', 'signed_by_others', 'not_signed', 'unreadable']);
export type SealVerdict = z.infer<typeof SealVerdict>;

/** A time as a file from outside states it, in any form. */
const SaidTime = z.string();

/** A certificate in the form in which people compare it. */
const CertificateWords = named(
  'CertificateWords',
  z.object({
    subject: z.string(),
    issuer: z.string(),
    fingerprint_sha256: Sha256,
    valid_from: SaidTime,
    valid_to: SaidTime,
  }),
);

/** A signature in a PDF. */
const PdfSignature = named(
  'PdfSignature',
  z.object({
    state: z.enum(['whole', 'altered', 'unsupported']),
    why: z.string().nullable().describe('Why it is not whole'),
    covers_whole_file: z.boolean(),
    bytes_after: z.int().describe('How many bytes of the file stand behind what it covers'),
    by_this_platform: z.boolean().describe('Whether it was made with a certificate of this platform, of today or of before'),
    in_form: z.boolean().describe("Whether the document's form lists it: readers show no other"),
    certificate: CertificateWords.nullable(),
    certificate_was_valid: z.boolean().nullable().describe('Whether the certificate was valid at the claimed time'),
    signer: z.string().nullable().describe('What the signature says of who made it'),
    reason: z.string().nullable(),
    claimed_at: SaidTime.nullable().describe("What the signer's clock said"),
    timestamp: z
      .object({ at: SaidTime, certificate: CertificateWords })
      .nullable()
      .describe('What a timestamp authority says; null where none was asked'),
    signed: z
      .object({ bytes: z.int(), sha256: Sha256 })
      .nullable()
      .describe('The document that people signed: the first bytes of the file, and their SHA-256, which is its plain_sha256'),
  }),
);

/** Whether this platform sealed a PDF, and whether the PDF is unchanged since then. @spec D1-2.12.5 */
export const SealVerification = named(
  'SealVerification',
  z.object({
    verdict: SealVerdict,
    reason: z.string().nullable().describe('Why it is unreadable'),
    bytes: z.int(),
    sha256: Sha256,
    signatures: z.array(PdfSignature),
  }),
);
export type SealVerification = z.infer<typeof SealVerification>;

/** A certificate that PDFs are or were sealed with. */
export const KnownSealCertificate = named('KnownSealCertificate', CertificateWords.extend({ certificate_pem: z.string() }));
