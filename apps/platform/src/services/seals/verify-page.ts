import { seals, VERIFIED_FILE_BYTES, type Page, type Refusal, type SealVerdict, type SealVerification } from '@codase/contracts';
import { html, type Markup } from '../../kit/pages/html.ts';
import { pageOf, problemBox } from '../../kit/pages/page-frame.ts';

type Signature = SealVerification['signatures'][number];

/** The title of each verdict, and what it means for the reader. */
const VERDICTS: Readonly<Record<SealVerdict, readonly [title: string, meaning: string]>> = {
  sealed: ['Sealed here, and whole', 'This platform sealed this PDF, and not one byte was changed or added since.'],
  altered_after_seal: [
    'Altered after it was sealed',
    'This platform sealed the first part of this PDF. Something was added behind it: do not trust what it shows now.',
  ],
  altered: ['Altered', 'A seal or signature in this PDF does not fit the file: do not trust it.'],
  signed_by_others: ['Not sealed here', 'This PDF is signed and whole, but not by this platform.'],
  not_signed: ['Not sealed', 'There is no seal and no signature in this PDF.'],
  unreadable: ['Not readable', 'This file cannot be read as a PDF, so nothing can be said of it.'],
};

const TITLE = 'Verify a PDF';
const MEGABYTES = Math.floor(VERIFIED_FILE_BYTES / 1024 / 1024);

interface Shown {
  found?: SealVerification;
  problem?: string;
}

/** Returns the page with the form for a PDF, and with what was found in the PDF that was sent. */
export function verifyPage(name: string | undefined, { found, problem }: Shown = {}): Page {
  const title = found ? `${VERDICTS[found.verdict][0]}: ${TITLE}` : problem === undefined ? TITLE : `Error: ${TITLE}`;
  return {
    html: pageOf(
      title,
      html`<h1>${TITLE}</h1>
        ${problem === undefined ? undefined : problemBox('This did not work', problem)} ${found && findings(found)} ${form(name, found)}`,
    ),
    form_leads_to: [],
  };
}

/** Returns the page of a refusal, with the form once more. */
export const refusedPage = ({ message }: Refusal): Page => verifyPage(undefined, { problem: message });

const form = (name: string | undefined, found: SealVerification | undefined) =>
  html`${found ? html`<h2>Another PDF</h2>` : introduction(name)}
    <form method="post" action="${seals.verifyOnPage.path}" enctype="multipart/form-data">
      <label for="file">PDF, at most ${String(MEGABYTES)} MB</label>
      <input id="file" name="file" type="file" accept="application/pdf,.pdf" required aria-describedby="kept" />
      <button class="yes">Verify</button>
    </form>
    <p><small id="kept">The file is read once, and not stored.</small></p>
    ${forPrograms}`;

const CERTIFICATES = seals.listKnownCertificates.path;
const forPrograms = html`<p>
  <small>
    For programs: <code>POST ${seals.verifyPdf.path}</code>; the certificates are at <a href="${CERTIFICATES}">${CERTIFICATES}</a>.
  </small>
</p>`;

const introduction = (name: string | undefined) =>
  html`<p>
    Choose a PDF to learn whether ${name === undefined ? 'this platform' : html`<strong>${name}</strong>`} sealed it, whether it is as it
    was sealed, and what was signed.
  </p>`;

function findings(found: SealVerification): Markup {
  const [title, meaning] = VERDICTS[found.verdict];
  const reason = found.reason === null ? '' : ` (${found.reason.replaceAll('_', ' ')})`;
  return html`<section class="${found.verdict === 'sealed' ? 'good' : 'problem'}" role="status" aria-labelledby="verdict">
      <h2 id="verdict">${found.verdict === 'sealed' ? '✓' : '✗'} ${title}</h2>
      <p>${meaning}${reason}</p>
    </section>
    <h2>The file</h2>
    ${facts([
      ['Length', `${found.bytes} bytes`],
      ['SHA-256', found.sha256],
    ])}
    ${found.signatures.map((signature, nth) => html`<h2>${signatureTitle(signature, nth)}</h2>${facts(factsOf(signature))}`)}`;
}

const signatureTitle = ({ by_this_platform }: Signature, nth: number) => `${by_this_platform ? 'Seal' : 'Signature'} ${nth + 1}`;

type Fact = readonly [name: string, value: string | null | undefined];

function factsOf(signature: Signature): Fact[] {
  const { certificate, timestamp, signed, why } = signature;
  return [
    ['State', why === null ? signature.state : `${signature.state}: ${why}`],
    ['Covers', signature.covers_whole_file ? 'the whole file' : `not the whole file: ${signature.bytes_after} bytes follow`],
    ['Made by', certificate && `${certificate.subject}${signature.by_this_platform ? ', a certificate of this platform' : ''}`],
    ['Certificate, SHA-256', certificate?.fingerprint_sha256],
    ['Certificate was valid then', signature.certificate_was_valid === null ? null : signature.certificate_was_valid ? 'yes' : 'no'],
    ['Says of itself', signature.signer],
    ['Reason', signature.reason],
    ['Made at', signature.claimed_at && `${signature.claimed_at}, by its own clock`],
    ['Timestamp', timestamp ? `${timestamp.at}, by ${timestamp.certificate.subject}` : 'none: no authority vouches for the time'],
    ['What was signed', signed && `the first ${signed.bytes} bytes`],
    ['Signed bytes, SHA-256', signed?.sha256],
  ];
}

const facts = (all: readonly Fact[]) =>
  html`<dl>
    ${all.flatMap(([name, value]) =>
      value === null || value === undefined
        ? []
        : [
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
          ],
    )}
  </dl>`;
