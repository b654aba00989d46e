import { deflateSync } from 'node:zlib';
import { buildPdf } from '../test/build-pdf.ts';
import { SEAL } from '../test/identities.ts';
import { seal } from './seal.ts';

const MB = 1024 * 1024;
const BOMB = deflateSync(Buffer.alloc(3 * MB)).toString('latin1');
const stream = (entries: string, data: string) => `<< ${entries} /Length ${data.length} >>\nstream\n${data}\nendstream`;
const kids = (count: number) => Array.from({ length: count }, (_, i) => `${i + 10} 0 R`).join(' ');

const pages = (count: number): Record<number, string> => ({
  2: `<< /Type /Pages /Kids [${kids(count)}] /Count ${count} >>`,
  ...Object.fromEntries(Array.from({ length: count }, (_, i) => [i + 10, '<< /Type /Page /Parent 2 0 R >>'])),
});

/** A page tree in which each node has the next one twice: few bytes, and pages without end. */
const doubling = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [i + 10, `<< /Kids [${`${i + 11} 0 R `.repeat(2)}] >>`]));

describe('sealing a hostile PDF', () => {
  it.each([
    ['encrypted', 'with a password', buildPdf({ trailer: '/Encrypt << /Filter /Standard /V 1 /R 2 >>' })],
    ['too_complex', 'with an object stream that inflates without end', withBomb()],
    ['too_complex', 'with 10,000 pages', buildPdf({ objects: pages(10_000) })],
    ['damaged', 'with a page tree that leads back', buildPdf({ objects: { 2: '<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>' } })],
    ['damaged', 'with pages that are there twice', buildPdf({ objects: { 2: '<< /Kids [10 0 R] >>', ...doubling, 40: '<< >>' } })],
    ['damaged', 'without pages', buildPdf({ objects: { 2: '<< /Type /Pages /Kids [] /Count 0 >>' } })],
    ['damaged', 'with a page that is missing', buildPdf({ objects: { 2: '<< /Type /Pages /Kids [99 0 R] /Count 1 >>' } })],
    ['damaged', 'with a catalog that refers to itself', buildPdf({ objects: { 1: '1 0 R' } })],
    ['damaged', 'with cross-references in a loop', looping()],
    ['too_complex', 'nested without end', buildPdf({ catalog: `/X ${'['.repeat(50_000)}` })],
    ['too_complex', 'with too many rows', manyRows()],
    ['damaged', 'with object numbers beyond all bounds', buildPdf({ trailer: '/Size 99999999' })],
    ['unsupported_filter', 'with a structure behind another filter', withFilter('/LZWDecode')],
    ['not_pdf', 'that is something else', Buffer.from('<html>')],
    ['damaged', 'cut in the middle', buildPdf().subarray(0, 400)],
    ['too_large', 'that is too long', Buffer.alloc(9 * MB)],
  ])('is refused as %s: %s', async (reason, _, pdf) => {
    await expect(seal(pdf, { ...SEAL, limits: { inflatedBytes: 2 * MB, bytes: 8 * MB, entries: 50_000 } })).rejects.toMatchObject({
      name: 'PdfRefusal',
      reason,
    });
  });
});

function withFilter(filter: string): Buffer {
  const pdf = buildPdf({ form: 'stream' }).toString('latin1');
  return Buffer.from(pdf.replace('/Filter /FlateDecode', `/Filter ${filter.padEnd(12)}`), 'latin1');
}

/** A PDF whose object 3 is in an object stream that inflates to 200 MB. */
function withBomb(): Buffer {
  const head = '%PDF-1.7\n';
  const bomb = `6 0 obj\n${stream('/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode', BOMB)}\nendobj\n`;
  const at = head.length + bomb.length;
  const row = (kind: number, second: number, third: number) => {
    const bytes = Buffer.alloc(6, kind);
    bytes.writeUInt32BE(second, 1);
    bytes[5] = third;
    return bytes.toString('latin1');
  };
  const table = [row(0, 0, 0), row(2, 6, 0), row(0, 0, 0), row(0, 0, 0), row(0, 0, 0), row(0, 0, 0), row(1, head.length, 0)].join('');
  const references = `7 0 obj\n${stream('/Type /XRef /W [1 4 1] /Size 7 /Root 1 0 R', table)}\nendobj\n`;
  return Buffer.from(`${head}${bomb}${references}startxref\n${at}\n%%EOF\n`, 'latin1');
}

function looping(): Buffer {
  const pdf = buildPdf({ trailer: '/Prev 0000000000' }).toString('latin1');
  const at = /startxref\n(\d+)/.exec(pdf)![1]!;
  return Buffer.from(pdf.replace('/Prev 0000000000', `/Prev ${at.padStart(10, '0')}`), 'latin1');
}

function manyRows(): Buffer {
  const pdf = buildPdf().toString('latin1');
  return Buffer.from(pdf.replace(/xref\n0 6\n/, `xref\n0 60006\n${'0000000000 65535 f\r\n'.repeat(60_000)}`), 'latin1');
}
