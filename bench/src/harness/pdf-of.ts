import { randomBytes } from 'node:crypto';

/** Makes a PDF of about this size, like a scan: each page has an image. */
export function pdfOf(bytes: number): Buffer {
  const pages = Math.max(1, Math.round(bytes / (1024 * 1024)));
  const parts: Buffer[] = [];
  const offsets: number[] = [];
  let length = 0;
  const put = (part: string | Buffer) => {
    const chunk = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    parts.push(chunk);
    length += chunk.length;
  };
  const object = (...content: (string | Buffer)[]) => {
    offsets.push(length);
    put(`${offsets.length} 0 obj\n`);
    content.forEach(put);
    put('\nendobj\n');
  };
  const kids = Array.from({ length: pages }, (_, i) => `${3 + 2 * i} 0 R`).join(' ');
  put('%PDF-1.7\n');
  object('<< /Type /Catalog /Pages 2 0 R >>');
  object(`<< /Type /Pages /Kids [${kids}] /Count ${pages} >>`);
  for (let page = 0; page < pages; page += 1) {
    const image = randomBytes(Math.round(bytes / pages));
    const resources = `/Resources << /XObject << /Scan ${4 + 2 * page} 0 R >> >>`;
    object(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} >>`);
    object(`<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /Length ${image.length} >>\nstream\n`, image, '\nendstream');
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n\r\n`).join('');
  const at = length;
  const size = offsets.length + 1;
  put(`xref\n0 ${size}\n0000000000 65535 f\r\n${rows}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`);
  return Buffer.concat(parts);
}
