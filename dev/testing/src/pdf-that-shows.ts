/** A PDF of one page that shows a line. */
export function pdfThatShows(line: string): Buffer {
  const content = `BT /F1 24 Tf 72 720 Td (${line}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((body, i) => `${i + 1} 0 obj\n${body}\nendobj\n`);
  const head = '%PDF-1.7\n';
  const offsets = objects.map((_, i) => head.length + objects.slice(0, i).join('').length);
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n\r\n`).join('');
  const table = `xref\n0 6\n0000000000 65535 f\r\n${rows}trailer\n<< /Size 6 /Root 1 0 R >>\n`;
  return Buffer.from(`${head}${objects.join('')}${table}startxref\n${head.length + objects.join('').length}\n%%EOF\n`, 'latin1');
}
