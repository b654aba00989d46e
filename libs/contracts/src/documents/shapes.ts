import { z } from 'zod';
import { isBase64 } from '../core/base64.ts';
import type { PlainKey } from '../core/errors.ts';
import { expects, fails } from '../core/fails.ts';
import { FileEnvelope } from '../core/file.ts';
import { jsonIn } from '../core/json.ts';
import { DOCUMENT_MAX_MB, UPLOAD_CHARS } from '../core/limits.ts';
import { named } from '../core/named.ts';
import { Box, isSealed, OneTimeKey, SealedUpload } from '../core/sealed.ts';
import { Day, Id, IdempotencyKey, Line, Sha256, text, Timestamp } from '../core/text.ts';
import { METADATA_MEMBERS, METADATA_NAME_CHARS } from './limits.ts';

/** @spec D1-2.12 */
export const DocumentKind = z.enum(['document', 'agreement', 'subscription']);
/** @spec D1-2.12 */
export const PayloadKind = z.enum(['json', 'file']);
/** @spec D1-3.3 */
export const DocumentStatus = z.enum(['offering', 'ready_to_sign', 'active', 'active_but_ending', 'ended']);
export type DocumentStatus = z.infer<typeof DocumentStatus>;
/** The status of a copy. In a run, a copy may also wait for its turn. @spec D2-3 */
export const CopyStatus = z.enum(['waiting', ...DocumentStatus.options]);
/** What a party of a document did. @spec D1-2.12 */
export const DocumentAction = z.enum(['signed', 'accepted']);
/** How a signature was made. @spec D1-6.2 */
export const SigningMethod = z.enum(['biometric', 'twofa', 'email', 'custodian']);

/** Who signed, and whether the name is that of their verified ID. @spec D1-6.2 */
export const signer = {
  signer_first_name: z.string().nullable(),
  signer_last_name: z.string().nullable(),
  signer_name_verified: z.boolean().nullable(),
};

/** @spec D1-2.12 */
export const DocumentSignature = named(
  'DocumentSignature',
  z.object({
    action: DocumentAction,
    method: SigningMethod.nullable(),
    content_sha256: Sha256.nullable(),
    plain_sha256: Sha256.nullable(),
    ...signer,
    created_at: Timestamp,
  }),
);

/** Members that the company chooses freely, beside the one that the phone reads. @spec D1-2.12 @gap D1-2.12 */
const metadataWith = <Flag extends z.ZodType<boolean | undefined>>(can_be_cancelled_in_app: Flag) =>
  z
    .object({ can_be_cancelled_in_app })
    .catchall(z.union([text(2000), z.number(), z.boolean(), z.null()]))
    .refine((metadata) => Object.keys(metadata).length <= METADATA_MEMBERS, expects(`must have at most ${METADATA_MEMBERS} members`))
    .refine(
      (metadata) => Object.keys(metadata).every((name) => name.length <= METADATA_NAME_CHARS),
      expects(`must have names of at most ${METADATA_NAME_CHARS} letters`),
    );
export const Metadata = metadataWith(z.boolean().default(false));

/** One step of a run's signing line, as every document of the run shows it. @spec D2-2.2 */
export const RunSignature = z.object({
  output_key: z.string(),
  name: z.string(),
  party_key: z.string(),
  document_id: Id,
  position: z.int().nullable(),
  status: CopyStatus,
  action: DocumentAction.nullable(),
  acted_at: Timestamp.nullable(),
});

/** @spec D1-2.12 @gap D1-2.12 */
export const CompanyDocument = named(
  'CompanyDocument',
  z.object({
    id: Id,
    name: z.string(),
    kind: DocumentKind,
    payload_kind: PayloadKind,
    requires_signature: z.boolean(),
    requires_acceptance: z.boolean(),
    is_private: z.boolean(),
    status: CopyStatus,
    metadata: z.looseObject({ can_be_cancelled_in_app: z.boolean() }),
    signatures: z.array(DocumentSignature),
    plain_sha256: Sha256.nullable(),
    sealed_at: Timestamp.nullable(),
    cancel_effective_date: Day.nullable(),
    /** Null for a broadcast. */
    connection_id: Id.nullable(),
    person_user_id: Id.nullable(),
    flow_run_id: Id.nullable(),
    run_signatures: z.array(RunSignature).optional(),
    created_at: Timestamp,
  }),
);
export type CompanyDocument = z.infer<typeof CompanyDocument>;

/** The recipient of a document; without a target it is a broadcast. @gap D1-2.12 */
const Target = z.union([
  z.strictObject({ connection_id: Id }),
  z.strictObject({ person_user_id: Id }),
  z.strictObject({ share_code: text(64) }),
]);

/** JSON text, which is sealed when it is for one person. */
const Value = z.string().max(UPLOAD_CHARS, fails('documents.too_large'));
/** A file: sealed when it is for one person, an envelope in the clear when it is for all. */
const FilePayload = z.union([FileEnvelope, SealedUpload], {
  error: ({ input }) => (typeof input === 'string' ? faultOfSealed(input) : undefined),
});
const faultOfSealed = (input: string): PlainKey =>
  input.length > UPLOAD_CHARS ? 'documents.too_large' : 'contact_data.encryption_required';

const members = z.strictObject({
  name: Line,
  kind: DocumentKind.default('document'),
  payload_kind: PayloadKind,
  target: Target.optional(),
  is_private: z.boolean().default(false),
  requires_signature: z.boolean().default(false),
  requires_acceptance: z.boolean().default(false),
  plain_sha256: Sha256.optional(),
  metadata: Metadata.default({ can_be_cancelled_in_app: false }),
  value: Value.optional(),
  file: FilePayload.optional(),
  /** Lets a sender repeat a call, although the payload was sealed anew. @gap D1-4.7 */
  idempotency_key: IdempotencyKey.optional(),
});
type Members = z.infer<typeof members>;

const isContract = ({ kind, requires_signature, requires_acceptance }: Members) =>
  kind !== 'document' || requires_signature || requires_acceptance;
const hasItsPayload = ({ payload_kind, value, file }: Members) =>
  (payload_kind === 'json') === (value !== undefined) && (payload_kind === 'file') === (file !== undefined);

/** Whether the digest is there exactly when it has to be: a seal is for the bytes of this digest only. @spec D1-2.12 */
const hasItsDigest = ({ payload_kind, requires_signature, requires_acceptance, plain_sha256 }: Members) =>
  payload_kind === 'file' ? plain_sha256 !== undefined || !(requires_signature || requires_acceptance) : plain_sha256 === undefined;

/** Whether a payload for everybody is in the clear: JSON that can be read, or a file that fits its envelope. @spec D1-2.12 @gap D1-2.12 */
const isClear = ({ value, file }: Pick<Members, 'value' | 'file'>) =>
  value === undefined ? typeof file === 'object' && isTrueEnvelope(file) : jsonIn(value) !== undefined;

/** Whether the data URI has the type that the envelope declares, and is base64. Its size is compared where it is stored. */
function isTrueEnvelope({ file, mime_type }: FileEnvelope): boolean {
  const comma = file.indexOf(',');
  return file.slice(0, comma) === `data:${mime_type};base64` && isBase64(file.slice(comma + 1));
}

const isTooLong = (file: Members['file']) => typeof file === 'object' && file.size > DOCUMENT_MAX_MB * 1024 * 1024;

const SEALED_FOR_ONE = fails(
  'contact_data.encryption_required',
  'what is for one recipient is sealed: send value or file as a wrapper, a JSON string',
);

/** A new document. A contract has one recipient; only what is sealed for one may be `is_private`. @spec D1-2.12 @gap D1-2.12 */
export const NewDocument = members
  .refine((document) => document.target !== undefined || !isContract(document), {
    ...fails('documents.contract_requires_person'),
    path: ['target'],
  })
  .refine(hasItsPayload, { ...expects('must be json with a value and no file, or file with a file and no value'), path: ['payload_kind'] })
  .refine(({ target, is_private }) => target !== undefined || !is_private, {
    ...expects('needs a target: what everybody is sent is private to nobody'),
    path: ['is_private'],
  })
  .refine(({ target, value, file }) => target === undefined || isSealed(value ?? file), SEALED_FOR_ONE)
  .refine(({ file }) => !isTooLong(file), { ...fails('documents.too_large'), path: ['file', 'size'] })
  .refine((document) => document.target !== undefined || !hasItsPayload(document) || isClear(document), {
    ...expects('without a target value must be JSON, or file an envelope whose mime_type is that of its data URI, in base64'),
    path: ['target'],
  })
  .refine(hasItsDigest, {
    ...expects('must be the SHA-256 of the PDF where a file is to be signed or accepted, and is for files alone'),
    path: ['plain_sha256'],
  });

/** A certificate that the platform seals or has sealed with. @gap D1-2.12 */
export const SealCertificate = named(
  'SealCertificate',
  z.object({ certificate_pem: z.string(), fingerprint_sha256: Sha256, created_at: Timestamp }),
);
export type SealCertificate = z.infer<typeof SealCertificate>;

/** @spec D1-4.2 @gap D1-3.3 */
export const DocumentChange = z
  .strictObject({
    name: Line.optional(),
    status: DocumentStatus.optional(),
    cancel_effective_date: Day.optional().describe('The day on which it ends: with the status active_but_ending, and only then'),
    metadata: metadataWith(z.boolean().optional())
      .optional()
      .describe('In place of those before; can_be_cancelled_in_app, which is a right of the person, stays where it is left out'),
  })
  .refine(({ status, cancel_effective_date }) => (status === 'active_but_ending') === (cancel_effective_date !== undefined), {
    ...expects('must be given with the status active_but_ending, and with no other'),
    path: ['cancel_effective_date'],
  });

/** @gap D1-4.7 */
export const NewDocumentFile = z
  .strictObject({ file: FilePayload, plain_sha256: Sha256.optional() })
  .refine(({ file }) => !isTooLong(file), { ...fails('documents.too_large'), path: ['file', 'size'] })
  .refine(({ file }) => typeof file === 'string' || isTrueEnvelope(file), {
    ...expects('must be an envelope whose mime_type is that of its data URI, in base64'),
    path: ['file'],
  });

/** The PDF under a key that is used once, so that the server can check and seal a file that it cannot otherwise read. @gap D1-2.12 */
const opened = { otk: OneTimeKey.optional(), file: Box.optional() };
const TOGETHER = expects('give otk and file together, or neither');
const comesWhole = ({ otk, file }: { otk?: string | undefined; file?: string | undefined }) => (otk === undefined) === (file === undefined);

/** The signing of a document. A JSON contract is signed without a file. @gap D1-2.12 */
export const SignAct = z
  .strictObject({ method: SigningMethod, signer_first_name: Line, signer_last_name: Line, ...opened })
  .refine(comesWhole, TOGETHER);
/** The signing by a company, which chooses how it made sure who signs. The unlock of a phone is only for persons. @gap D1-2.12 */
export const CompanySignAct = SignAct.refine(({ method }) => method !== 'biometric', {
  ...expects("must be twofa, email or custodian: biometric is the unlock of a person's phone"),
  path: ['method'],
});
/** @gap D1-2.12 */
export const AcceptAct = z.strictObject(opened).refine(comesWhole, TOGETHER);
/** The cancellation of a document. Without a date it is effective today. @spec D1-3.3 @gap D1-3.3 */
export const CancelAct = z.strictObject({ effective_date: Day.optional() });
