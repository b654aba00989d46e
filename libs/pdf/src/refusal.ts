const MESSAGES = {
  not_pdf: 'This is not a PDF: it has no %PDF header within its first 1,024 bytes.',
  encrypted: 'This PDF is encrypted: save it without a password and without restrictions.',
  damaged: 'This PDF is damaged: open it in a PDF program and save it again.',
  too_large: 'This PDF is too large: split it, or make its images smaller.',
  too_complex: 'This PDF needs more memory or steps than are allowed: print it to a new PDF, or split it.',
  timeout: 'This PDF took too long to read: print it to a new PDF, or split it.',
  signed: 'This PDF is signed, and filling its tags would break the signature: use the PDF as it was before it was signed.',
  unfillable:
    'A tag of this PDF stands in text that cannot be replaced: write the tag as ordinary visible horizontal text, and save the PDF again.',
  overflow: 'A value has no space where its tag stands: give the tag more space on the page, or shorten the value.',
  unsupported_filter: 'This PDF compresses its structure in a way that is not supported: save it again with another program.',
} as const;

/** Why a PDF is refused. */
export type PdfReason = keyof typeof MESSAGES;

export const PDF_REASONS = Object.keys(MESSAGES) as readonly PdfReason[];

/** The only error with which this library refuses a PDF: a reason, and a detail for developers that quotes nothing of the file. */
export class PdfRefusal extends Error {
  override readonly name = 'PdfRefusal';

  constructor(
    readonly reason: PdfReason,
    readonly detail: string,
  ) {
    super(MESSAGES[reason]);
  }
}

export const damaged = (detail: string): PdfRefusal => new PdfRefusal('damaged', detail);

/** Returns a refusal as it is. Any other error of reading means that the file is not what it should be. */
export function asRefusal(error: unknown): PdfRefusal {
  if (error instanceof PdfRefusal) return error;
  if (error instanceof RangeError) return new PdfRefusal('too_complex', 'out of stack or memory');
  return damaged('unexpected structure');
}
