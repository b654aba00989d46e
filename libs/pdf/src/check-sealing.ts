import type { SealIdentity } from './cms/signed-data.ts';
import { IdentityFault } from './certificates.ts';
import type { PdfProcesses } from './pdf-processes.ts';

/** One empty page, with a cross-reference table. */
const EMPTY_PAGE = [
  '%PDF-1.7',
  '1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj',
  '2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj',
  '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >> endobj',
];

function emptyPdf(): Buffer {
  const offsets = EMPTY_PAGE.map((_, nth) => EMPTY_PAGE.slice(0, nth).join('\n').length + 1);
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n\r\n`);
  const body = EMPTY_PAGE.join('\n');
  const table = `xref\n0 4\n0000000000 65535 f\r\n${rows.join('')}trailer\n<< /Size 4 /Root 1 0 R >>`;
  return Buffer.from(`${body}\n${table}\nstartxref\n${body.length + 1}\n%%EOF\n`);
}

/**
 * Seals a PDF with a Signatures page and verifies it. A process runs this at its start, before it promises a seal: it shows that the child
 * process starts, that its fonts are there, and that the certificate is valid today.
 */
export async function checkSealing(processes: PdfProcesses, identity: SealIdentity, now: Date): Promise<void> {
  const act = { action: 'signed', method: null, signer_first_name: 'A', signer_last_name: 'B', signer_name_verified: false } as const;
  const signaturesPage = { document_name: 'Check', acts: [{ ...act, created_at: now.toISOString() }] };
  const sealed = await processes.seal(emptyPdf(), { ...identity, reason: 'Check', signer: 'Check', time: now, signaturesPage });
  const { verdict, signatures } = await processes.verify(sealed, { certificates: [identity.certificate] });
  if (verdict !== 'sealed') throw new IdentityFault('A PDF that was sealed with this certificate does not verify.');
  if (!signatures[0]!.certificate_was_valid) throw new IdentityFault('The certificate is not valid today: replace it.');
}
