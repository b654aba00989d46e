import fc from 'fast-check';
import { buildPdf } from '../test/build-pdf.ts';
import { OTHER, PLATFORM, SEAL } from '../test/identities.ts';
import { seal } from './seal.ts';
import { verify, type Verification } from './verify.ts';

const check = (pdf: Buffer): Verification => verify(pdf, { certificates: [PLATFORM.certificate] });
const SEALED = await seal(buildPdf(), SEAL);
const RANGE = /\/ByteRange \[0 (\d+) (\d+) (\d+)\] */;

/** The same PDF with other numbers in its byte range, and the same length. */
const withRange = (pdf: Buffer, numbers: readonly number[]) => {
  const text = pdf.toString('latin1');
  const { 0: old } = RANGE.exec(text)!;
  return Buffer.from(text.replace(old, `/ByteRange [${numbers.join(' ')}]`.padEnd(old.length)), 'latin1');
};
const [, gapStart, gapEnd, after] = RANGE.exec(SEALED.toString('latin1'))!.map(Number) as [number, number, number, number];

describe('verification of a sealed PDF @spec D1-2.12', () => {
  it('never reports sealed when one bit is flipped', () => {
    const bits = fc.integer({ min: 0, max: SEALED.length * 8 - 1 });

    fc.assert(
      fc.property(bits, (bit) => {
        const flipped = Buffer.from(SEALED);
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        expect(check(flipped).verdict).not.toBe('sealed');
      }),
      { numRuns: 400 },
    );
  });

  it('reports altered when the case of one letter of the signature changes', () => {
    const letter = SEALED.subarray(gapStart, gapEnd).findIndex((byte) => byte >= 97);
    const changed = Buffer.from(SEALED);
    changed[gapStart + letter]! ^= 32;

    expect(check(changed)).toMatchObject({ verdict: 'altered', signatures: [{ why: 'The signature itself was changed.' }] });
  });

  it('never reports sealed when the unused space of the signature changes', () => {
    const value = SEALED.toString('latin1', gapStart + 1, gapEnd - 1);
    const signed = 2 * (4 + parseInt(value.slice(4, 8), 16));
    const offsets = Array.from({ length: 40 }, (_, nth) => signed + Math.floor((nth * (value.length - 1 - signed)) / 39));
    expect([value.slice(0, 4), value.slice(signed)]).toEqual(['3082', expect.stringMatching(/^0+$/)]);

    const passed = offsets.filter((at) => {
      const changed = Buffer.from(SEALED);
      changed[gapStart + 1 + at]! ^= 1;
      return check(changed).verdict === 'sealed';
    });

    expect(passed).toEqual([]);
  });

  it('reports altered when a byte of the document changes', () => {
    const changed = Buffer.from(SEALED);
    changed[changed.indexOf('A contract')] = 66;

    expect(check(changed)).toMatchObject({
      verdict: 'altered',
      signatures: [{ state: 'altered', why: 'The bytes that it covers were changed.', by_this_platform: true }],
    });
  });

  it('reports altered_after_seal when bytes are appended', async () => {
    const later = await seal(SEALED, { ...SEAL, ...OTHER });

    for (const appended of [Buffer.concat([SEALED, Buffer.from('\n')]), later]) {
      const { verdict, signatures } = check(appended);
      expect(verdict).toBe('altered_after_seal');
      expect(signatures[0]).toMatchObject({ state: 'whole', covers_whole_file: false, bytes_after: appended.length - SEALED.length });
    }
  });

  it('reports altered_after_seal when an update removes the seal from the form', async () => {
    const hidden = Buffer.concat([SEALED, Buffer.from(updateWithoutForm(SEALED), 'latin1')]);

    expect(check(hidden)).toMatchObject({ verdict: 'altered_after_seal', signatures: [{ state: 'whole', in_form: false }] });
  });

  it('does not report sealed when the end of the file is missing', () => {
    expect(check(SEALED.subarray(0, SEALED.length - 1)).verdict).toBe('altered');
    expect(check(SEALED.subarray(0, gapEnd + 10)).verdict).not.toBe('sealed');
  });

  it.each([
    ['begins later', [1, gapStart - 1, gapEnd, after]],
    ['leaves out more than the value', [0, gapStart - 4, gapEnd, after]],
    ['leaves out what follows the value', [0, gapStart, gapEnd + 8, after - 8]],
    ['ends early', [0, gapStart, gapEnd, after - 5]],
    ['covers more than there is', [0, gapStart, gapEnd, after + 5]],
    ['has one part', [0, SEALED.length]],
    ['has three parts', [0, 10, 10, gapStart - 10, gapEnd, after]],
  ])('reports altered when the byte range %s', (_, numbers) => {
    expect(check(withRange(SEALED, numbers))).toMatchObject({ verdict: 'altered', signatures: [{ state: 'altered' }] });
  });

  it('reports altered when the byte range excludes another value', () => {
    const padding = Buffer.concat([SEALED, Buffer.from(`<${'00'.repeat(64)}>`)]);

    expect(check(withRange(padding, [0, SEALED.length, padding.length, 0])).verdict).toBe('altered');
  });
});

/** An incremental update that replaces the catalog by one without a form. */
function updateWithoutForm(pdf: Buffer): string {
  const prev = /startxref\n(\d+)\n%%EOF\n$/.exec(pdf.toString('latin1'))![1];
  const object = '1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n';
  const row = `${String(pdf.length).padStart(10, '0')} 00000 n\r\n`;
  return `${object}xref\n1 1\n${row}trailer\n<< /Size 20 /Root 1 0 R /Prev ${prev} >>\nstartxref\n${pdf.length + object.length}\n%%EOF\n`;
}

describe('verification of any other file', () => {
  it('reports not_signed for an unsigned PDF', () => {
    expect(check(buildPdf())).toMatchObject({ verdict: 'not_signed', reason: null, signatures: [] });
  });

  it.each([
    ['not_pdf', Buffer.alloc(0)],
    ['not_pdf', Buffer.from('PK\x03\x04 a letter')],
    ['damaged', Buffer.from('%PDF-1.7\n')],
    ['damaged', buildPdf().subarray(0, 300)],
    ['encrypted', buildPdf({ trailer: '/Encrypt << /Filter /Standard /V 1 >>' })],
    ['too_large', Buffer.alloc(65 * 1024 * 1024)],
  ])('reports unreadable with the reason %s', (reason, bytes) => {
    expect(check(bytes)).toMatchObject({ verdict: 'unreadable', reason, signatures: [] });
  });

  it('never throws and never reports sealed', () => {
    const syntax = fc.constantFrom(
      '%PDF-1.7\n',
      'xref\n',
      '0 1\n',
      'trailer\n',
      '<<',
      '>>',
      '[',
      '/ByteRange',
      '/Contents',
      '<00>',
      'startxref\n',
      '9\n',
      '%%EOF',
      '1 0 obj',
      '1 0 R',
      '(',
      ')',
    );

    fc.assert(
      fc.property(fc.array(syntax, { maxLength: 60 }), (words) => {
        expect(check(Buffer.from(words.join(' '))).verdict).not.toBe('sealed');
      }),
      { numRuns: 300 },
    );
  });
});
