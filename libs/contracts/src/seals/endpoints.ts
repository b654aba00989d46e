import { endpoint } from '../core/endpoint.ts';
import { FileBytes } from '../core/file.ts';
import { Page } from '../core/html-page.ts';
import { VERIFIED_FILE_BYTES } from '../core/limits.ts';
import { whole } from '../core/page.ts';
import { KnownSealCertificate, SealVerification } from './shapes.ts';

/** Routes of the front door that anyone may call. */
const PUBLIC = { tag: 'access', at: ['front-door'], callers: ['anyone'], spec: 'D1-4.1' } as const;
/** Takes a PDF from anyone. The call is counted by its source address before the PDF is read, and the PDF is kept nowhere. */
const VERIFIES = {
  body: FileBytes,
  consumes: 'file',
  largest: VERIFIED_FILE_BYTES,
  refusals: ['request.invalid', 'rate_limit.exceeded'],
  limit: 'verify',
} as const;

export const verifyPage = endpoint('verify_page', 'GET /verify', {
  ...PUBLIC,
  summary: 'A page to verify a PDF',
  description: 'A page with a form that takes a PDF and says whether this platform sealed it. It needs no JavaScript.',
  result: Page,
  produces: 'page',
});

export const verifyOnPage = endpoint('verify_on_page', 'POST /verify', {
  ...PUBLIC,
  ...VERIFIES,
  summary: 'What the form of that page sends: the page with what was found',
  description: 'What a browser sends from the page; programs send the PDF to `/api/verify`. Nothing of the PDF is kept.',
  result: Page,
  produces: 'page',
});

export const verifyPdf = endpoint('verify_pdf', 'POST /api/verify', {
  ...PUBLIC,
  ...VERIFIES,
  summary: 'Whether a PDF was sealed by this platform, and is whole',
  description:
    'Says of any PDF whether this platform sealed it, whether the seal covers the whole file, whether anything was changed or added ' +
    'since, by whom and when it was sealed, and what the signed bytes hash to. Trust `sealed` alone. Whatever the bytes are, the answer ' +
    'is 200: what is no PDF is `unreadable`. Nothing of it is kept.',
  result: SealVerification,
});

export const listKnownCertificates = endpoint('list_known_certificates', 'GET /api/seal-certificates', {
  ...PUBLIC,
  summary: 'The certificates that this platform seals PDFs with, and those of before',
  description:
    'Every certificate that a region of this platform has ever sealed with, the oldest first. Give them to a verifier of your own, as ' +
    '`npm run codase -- verify FILE --certificate FILE.pem`.',
  result: whole(KnownSealCertificate),
});
