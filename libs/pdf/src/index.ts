/** Seals PDFs, and verifies whether a PDF is unchanged since it was sealed. */
export { checkedIdentity, createIdentity, fingerprint, IdentityFault, loadIdentity, storeIdentity, type KeyPair } from './certificates.ts';
export type { StoredIdentity } from './certificates.ts';
export { checkSealing } from './check-sealing.ts';
export type { SealIdentity } from './cms/signed-data.ts';
export { requestTimestamp, TimestampFault } from './cms/timestamp.ts';
export type { TimestampAuthority } from './cms/timestamp.ts';
export { findTags } from './find-tags.ts';
export { PDF_LIMITS } from './limits.ts';
export type { PdfLimits } from './limits.ts';
export { PdfProcesses, PdfProcessesBusy } from './pdf-processes.ts';
export type { PdfProcessesOptions } from './pdf-processes.ts';
export { PDF_REASONS, PdfRefusal } from './refusal.ts';
export type { PdfReason } from './refusal.ts';
export { seal } from './seal.ts';
export type { SealOptions } from './seal.ts';
export type { SignatureAct, SignatureMethod, SignaturesPage } from './signatures-page/acts.ts';
export { verify } from './verify.ts';
export type { CertificateWords, SignatureReport, Verdict, Verification, VerifyOptions } from './verify.ts';
