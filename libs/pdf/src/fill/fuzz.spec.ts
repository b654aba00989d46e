import fc from 'fast-check';
import { compositeFont, HELVETICA, shows, stream } from '../../test/tagged-pdf.ts';
import { buildPdf } from '../../test/build-pdf.ts';
import { PdfFile } from '../file/pdf-file.ts';
import { findTags } from '../find-tags.ts';
import { PDF_REASONS, PdfRefusal } from '../refusal.ts';
import { fill } from './fill.ts';

/** The number of runs, as for the fuzz of sealing: `CODASE_PDF_FUZZ=2000 npx nx test pdf`. */
const RUNS = Number(process.env['CODASE_PDF_FUZZ'] ?? 120);
/** Each value has a blank: an empty one inside the braces of another tag would make a tag of what is around it. */
const VALUES = { name: 'Ana Lind', city: 'Malmö\nSverige', sum: '1,234.00 '.repeat(20) };
const RESOURCES = '/Resources << /Font << /F1 5 0 R >> /XObject << /F 8 0 R >> >>';
const CODES = Buffer.from('{{city}}', 'utf16le').swap16().toString('hex');
const ROWS = '1 beginbfrange <0000> <00ff> <0000> endbfrange';

const SOURCES = [
  shows('[(I am {{na) -20 (me}} of {{city}})] TJ 0 -30 Td ({{sum}} in all) Tj'),
  shows(`<${CODES}> Tj q 2 0 0 2 9 9 cm (x) Tj Q`, compositeFont(ROWS)),
  buildPdf({
    form: 'stream',
    catalog: '/AcroForm << /Fields [9 0 R] >>',
    objects: {
      3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [4 0 R 6 0 R] /Annots [9 0 R] ${RESOURCES} >>`,
      4: stream('72 690 200 30 re S BT /F1 12 Tf 74 700 Td ({{sum}}) Tj ET /F Do'),
      5: HELVETICA,
      6: stream("/Span << /ActualText ({{name}}) >> BDC BT /F1 12 Tf 1 0 0 1 72 500 Tm ({{name}}, ) Tj ({{city}}) ' ET EMC"),
      8: stream('BT /F1 9 Tf ({{name}}) Tj ET /F Do', `/Subtype /Form /BBox [0 0 200 50] ${RESOURCES}`),
      9: '<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V ({{name}}) /AP << /N 8 0 R >> >>',
    },
  }),
];

const TOKENS = [
  '<<',
  '>>',
  '[',
  ']',
  '(',
  ')',
  '<',
  ' TJ',
  ' Tj',
  ' Tf',
  ' 0 Tz',
  ' 1e30 0 0 1 0 0 cm',
  ' q',
  ' Q',
  'BI ID',
  '{{name}}',
  '-1',
  '8 0 R',
  '9 0 R',
  'null',
];
const splice = (pdf: Buffer, at: number, length: number, put: Buffer) =>
  Buffer.concat([pdf.subarray(0, at), put, pdf.subarray(at + length)]);

/** One of the ways in which a file can be wrong: a byte, a token in place of others, a part that is missing, an end that comes early. */
const change = fc
  .record({
    at: fc.noBias(fc.nat(999_999)),
    length: fc.integer({ min: 0, max: 40 }),
    byte: fc.nat(255),
    token: fc.constantFrom(...TOKENS),
    kind: fc.nat(7),
  })
  .map(({ at, length, byte, token, kind }) => (pdf: Buffer) => {
    const from = Math.floor((at / 1_000_000) * pdf.length);
    if (kind < 3) return splice(pdf, from, 1, Buffer.from([byte]));
    if (kind < 6) return splice(pdf, from, token.length, Buffer.from(token));
    return kind === 6 ? splice(pdf, from, length, Buffer.alloc(0)) : pdf.subarray(0, from);
  });

describe('a PDF with tags that was altered at random @spec D2-4.3.6', () => {
  it('is filled into a readable PDF without tags, or refused with a reason', async () => {
    const outcomes: string[] = [];

    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...SOURCES), fc.array(change, { minLength: 1, maxLength: 3 }), async (pdf, changes) => {
        outcomes.push(await outcomeOf(changes.reduce((bytes, apply) => apply(bytes), pdf)));
      }),
      { numRuns: RUNS },
    );

    expect(outcomes.filter((outcome) => !['filled', 'no tag', ...PDF_REASONS].includes(outcome))).toEqual([]);
    expect(outcomes).toEqual(expect.arrayContaining(['filled', 'damaged']));
  });
});

/** What became of a PDF. A filled one is read again: values have no tags, so none is left. */
async function outcomeOf(pdf: Buffer): Promise<string> {
  try {
    const filled = await fill(pdf, VALUES);
    if (filled === pdf) return 'no tag';
    expect(new PdfFile(filled).root().dict.get('Pages')).toBeDefined();
    expect(findTags(filled)).toEqual([]);
    return 'filled';
  } catch (error) {
    if (error instanceof PdfRefusal) return error.reason;
    throw error;
  }
}
