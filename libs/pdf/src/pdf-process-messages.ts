import type { PrepareOptions, PreparedSeal } from './prepare-seal.ts';
import type { PdfLimits } from './limits.ts';
import type { PdfReason } from './refusal.ts';
import type { SignaturesPage } from './signatures-page/acts.ts';
import type { Verification } from './verify.ts';

/** A job for a PDF process. */
export type PdfJob =
  | { kind: 'prepare'; pdf: Uint8Array; options: Omit<PrepareOptions, 'pages'>; signaturesPage?: SignaturesPage | undefined }
  | { kind: 'verify'; pdf: Uint8Array; certificates: readonly Uint8Array[]; limits: Partial<PdfLimits> }
  | { kind: 'tags'; pdf: Uint8Array }
  | { kind: 'fill'; pdf: Uint8Array; values: ReadonlyMap<string, string>; limits: Partial<PdfLimits> };

/** The answer of a PDF process to its job. */
export type PdfAnswer =
  | { ok: true; result: PreparedSeal | Verification | string[] | Uint8Array }
  | { ok: false; reason: PdfReason; detail: string };
