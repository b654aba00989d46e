import { DOCUMENT_MAX_MB } from '@codase/contracts';
import { pdfIn } from './pdf-in-envelope.service.ts';

const MEGABYTE = 1024 * 1024;
/** Bytes of which no part repeats soon. */
const pdfOf = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, at) => (at * 31 + (at >> 8)) & 255));
const textOf = (pdf: Buffer) => JSON.stringify({ file: `data:application/pdf;base64,${pdf.toString('base64')}`, original_name: 'own.pdf' });
const envelopeOf = (pdf: Buffer) => Buffer.from(textOf(pdf));
const unusable = expect.objectContaining({ key: 'flows.source_pdf_invalid' });

describe('PDF in an envelope @spec D2-4.2 @spec D2-4.3', () => {
  it.each([0, 1, 2, 3, 100, 3071, 3072, 3073, 5000, 196_607, 196_608, 300_001])('is returned unchanged with %d bytes', (bytes) => {
    const pdf = pdfOf(bytes);

    expect(pdfIn(envelopeOf(pdf)).equals(pdf)).toBe(true);
  });

  it.each([10, 10_000])('is found at any position of its member and with any JSON escapes, with %d bytes', (bytes) => {
    const pdf = pdfOf(bytes);
    const [{ file, ...rest }, escaped] = [JSON.parse(textOf(pdf)) as { file: string }, textOf(pdf).replaceAll('/', '\\/')];

    expect(pdfIn(Buffer.from(JSON.stringify({ ...rest, original_name: 'Übergabe ✓.pdf', file }))).equals(pdf)).toBe(true);
    expect(pdfIn(Buffer.from(escaped)).equals(pdf)).toBe(true);
  });

  it("is decoded in the envelope's memory, and the rest of the envelope is erased", () => {
    const envelope = envelopeOf(pdfOf(MEGABYTE));

    const pdf = pdfIn(envelope);

    expect([pdf.buffer === envelope.buffer, pdf.byteOffset === envelope.byteOffset]).toEqual([true, true]);
    expect(envelope.subarray(pdf.length).every((byte) => byte === 0)).toBe(true);
  });

  it('may be as large as a document, and not larger', () => {
    const most = DOCUMENT_MAX_MB * MEGABYTE;

    expect(pdfIn(envelopeOf(Buffer.alloc(most)))).toHaveLength(most);
    expect(() => pdfIn(envelopeOf(Buffer.alloc(most + 1)))).toThrow(unusable);
  });

  const long = 'A'.repeat(20_000);
  it.each([
    ['what is no JSON', 'no JSON'],
    ['a text', '"data:application/pdf;base64,AAAA"'],
    ['no file', '{"original_name":"lease.pdf"}'],
    ['another type', '{"file":"data:text/plain;base64,aGk="}'],
    ['another type, of a long file', `{"file":"data:text/plain;base64,${long}"}`],
    ['a long name in place of the file', `{"original_name":"${long}","file":"data:application/pdf;base64,AAAA"}`],
    ['two long members', `{"original_name":"${long}","file":"data:application/pdf;base64,${long}"}`],
    ['the file twice', `{"file":"data:application/pdf;base64,${long}","file":"data:application/pdf;base64,AAAA"}`],
    ['a long name that is no base64', `{"original_name":"${'ä'.repeat(70_000)}","file":"data:application/pdf;base64,AAAA"}`],
  ])('is refused in an invalid envelope: %s', (_, text) => {
    expect(() => pdfIn(Buffer.from(text))).toThrow(unusable);
  });
});
