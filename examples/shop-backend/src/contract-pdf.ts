/** Makes a PDF with one page of plain text. A real shop would make its contracts with the tool of its choice: any PDF can be signed. */
export function contractPdf(lines: readonly string[]): Buffer {
  const text = lines.map((line) => `(${escaped(line)}) Tj T*`).join('\n');
  const content = `BT /F1 12 Tf 18 TL 72 770 Td\n${text}\nET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
  ];
  let pdf = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, nth) => {
    const offset = pdf.length;
    pdf += `${nth + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = ['0000000000 65535 f ', ...offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n `)];
  const trailer = `trailer\n<< /Size ${entries.length} /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  return Buffer.from(`${pdf}xref\n0 ${entries.length}\n${entries.join('\n')}\n${trailer}`, 'latin1');
}

/** Replaces letters that the font does not have by question marks. */
const escaped = (line: string): string => line.replace(/[^\x20-\x7e\xa1-\xff]/gu, '?').replace(/[\\()]/g, '\\$&');
