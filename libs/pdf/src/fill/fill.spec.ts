import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { buildPdf } from '../../test/build-pdf.ts';
import { PLATFORM, SEAL } from '../../test/identities.ts';
import { compositeFont, contentOf, HELVETICA, page, seenIn, shows, stream, textIn } from '../../test/tagged-pdf.ts';
import { findTags } from '../find-tags.ts';
import { PdfProcesses } from '../pdf-processes.ts';
import { seal } from '../seal.ts';
import { verify } from '../verify.ts';
import { fill } from './fill.ts';

const ANA = { name: 'Ana Lind', city: 'Malmö' };
const hex = (codes: readonly number[]) => codes.map((code) => code.toString(16).padStart(4, '0')).join('');
const shifted = (text: string, by: number) => hex([...text].map((character) => character.charCodeAt(0) + by));
const simpleFont = (encoding: string) => `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding ${encoding} >>`;
const deflated = (content: string, entries = '') =>
  stream(deflateSync(Buffer.from(content)).toString('latin1'), `/Filter /FlateDecode ${entries}`);

const NAMED = '<< /Differences [1 /braceleft /n /a /m /e /braceright 20 /uni0021 /T_h /f_i] >>';
const TIGHT = '[({{na) -30 (me}}) 20 (, hello)] TJ';
const RANGES = '1 beginbfrange <0060> <00e0> <0040> endbfrange 1 beginbfchar <0050> <0020> endbfchar';
const LIGATURES = `${RANGES} 2 beginbfchar <0001> <fb01> <0002> <007d007d002e> endbfchar`;

describe('a filled PDF @spec D2-4.3.6', () => {
  it.each([
    ['in WinAnsi', shows('(I am {{name}}.) Tj'), 'I am Ana Lind.'],
    ['in MacRoman', shows('(I am {{name}}.) Tj', { 5: simpleFont('/MacRomanEncoding') }), 'I am Ana Lind.'],
    ['in the encoding of the font itself', shows('(I am {{name}}.) Tj', { 5: simpleFont('null') }), 'I am Ana Lind.'],
    ['by the names of glyphs', shows('<0101020304050606 14> Tj', { 5: simpleFont(NAMED) }), 'Ana Lind!'],
    ['with spaces inside', shows('({{ name }}) Tj'), 'Ana Lind'],
    ['hexadecimal', shows(`<${Buffer.from('{{name}}').toString('hex')}> Tj`), 'Ana Lind'],
    ['in pieces with kerning', shows(TIGHT), 'Ana Lind, hello'],
    ['over several operators', shows('({) Tj ({na) Tj (me}) Tj (} and) Tj'), 'Ana Lind and'],
    ['over operators that move on', shows('({{name) Tj 44.02 0 Td (}} and) Tj'), 'Ana Lind and'],
    ['over two sizes', shows('({{na) Tj /F1 10 Tf (me}}) Tj'), 'Ana Lind'],
    ['by the operators for new lines', shows("14 TL (First) Tj ({{name}}) ' 1 2 ({{city}}) \" (last) '"), 'FirstAna LindMalmölast'],
    ['in codes of two bytes', shows(`<${shifted('{{name}}', 32)}> Tj`, compositeFont(RANGES)), 'Ana Lind'],
    ['behind a ligature', shows(`<${shifted('{{', 32)}0001${shifted('}}', 32)}> Tj`, compositeFont(LIGATURES)), 'Profile'],
    ['with a glyph that says more', shows(`<${shifted('{{name', 32)}0002> Tj`, compositeFont(LIGATURES)), 'Ana Lind.'],
  ])('shows values in place of tags: %s', async (_, pdf, text) => {
    const filled = await fill(pdf, { ...ANA, fi: 'Profile' });

    expect(textIn(filled)).toBe(text);
    expect(findTags(filled)).toEqual([]);
    expect(filled.subarray(0, pdf.length).equals(pdf)).toBe(true);
  });

  it('shows values in several streams, nested forms, appearances and field values', async () => {
    const resources = '/Resources << /Font << /F1 5 0 R >> /XObject << /F 7 0 R >> >>';
    const form = (more: string) => `/Subtype /Form /BBox [0 0 300 50] ${more}`;
    const pdf = buildPdf({
      catalog: '/AcroForm << /Fields [10 0 R] >>',
      objects: {
        3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [4 0 R 6 0 R] /Annots [10 0 R] ${resources} >>`,
        4: stream('BT /F1 12 Tf 72 700 Td [({{a}} and )'),
        5: HELVETICA,
        6: deflated('({{b}})] TJ ET /F Do'),
        7: deflated('BT /F1 9 Tf ({{c}}) Tj ET /G Do', form('/Resources << /XObject << /G 8 0 R >> /Font << /F1 5 0 R >> >>')),
        8: stream('BT /F1 9 Tf 0 20 Td ({{d}}) Tj ET /F Do', form(resources)),
        9: stream('/Tx BMC q BT /F1 9 Tf 2 5 Td ({{e}}) Tj ET Q EMC', form(resources)),
        10: '<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V (Dear {{e}}) /DV (A {{f}}) /Rect [0 0 300 50] /AP << /N 9 0 R >> >>',
      },
    });
    expect(findTags(pdf)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);

    const filled = await fill(pdf, { a: 'One', b: 'Two', c: 'Three', d: 'Four', e: 'Five' });

    expect(textIn(filled)).toBe('One and TwoThreeFourFive');
    const utf16 = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
    expect(filled.toString('latin1')).toContain(`/V ${utf16('Dear Five')}\n/DV ${utf16('A ')}`);
    expect(findTags(filled)).toEqual([]);
  });

  it.each([
    ['a tag', '{{city}}'],
    ['operators', ') Tj ET Q (x) Tj <41> % \\'],
    ['brackets without an end', '((( [[[ <<< \\('],
    ['other letters', 'Ελληνικά Кириллица 田中太郎'],
    ['the words of a replacement', "$& $1 $$ $' \\1"],
    ['a name of every object', '__proto__ constructor'],
  ])('treats a value with %s as text', async (_, value) => {
    const filled = await fill(shows('({{name}}|) Tj'), { name: value, city: 'Malmö' });

    expect(textIn(filled)).toBe(`${value}|`);
  });

  it.each([
    ['nothing', '', ''],
    ['control characters', 'A\0B\u0007C\u202eD', 'ABCD'],
    ['a character that no font has', '𠮷', '[U+20BB7]'],
    ['how a character is drawn', '葛\u{e0100}城', '葛\u{e0100}城'],
    ['a mark that no font has', 'e\u{1d165}', 'e[U+1D165]'],
    ['several characters that no font has', '👨‍👩❤️‍🔥', '[U+1F468 U+1F469]❤[U+1F525]'],
    ['half a character', 'A\ud800B', 'A\ufffdB'],
    ['tabs and spaces at its sides', '  A\t\tB ', 'A B'],
  ])('prints %s as the Signatures page does', async (_, value, text) => {
    expect(textIn(await fill(shows('(<{{name}}>) Tj'), { name: value }))).toBe(`<${text}>`);
  });

  it('prints nothing for a tag without a value and closes the gap', async () => {
    const filled = await fill(shows('(Dear {{who}}friend {{constructor}}of {{city}}) Tj'), { city: 'Malmö' });

    expect(textIn(filled)).toBe('Dear friend of Malmö');
    const [first, second] = seenIn(filled);
    expect(second!.at).toBeCloseTo(first!.end, 3);
  });

  it('shows values in annotations and form fields, without their rich text', async () => {
    const pdf = buildPdf({
      catalog: '/AcroForm << /Fields [7 0 R] >>',
      objects: {
        3: '<< /Type /Page /Parent 2 0 R /Annots [6 0 R 7 0 R] >>',
        6: '<< /Type /Annot /Subtype /FreeText /Contents (Dear {{name}}) /RC (<body>Dear {{name}}</body>) /Rect [0 0 300 50] >>',
        7: '<< /Type /Annot /Subtype /Widget /FT /Tx /T (f) /V ({{city}}) /RV (<body>{{city}}</body>) /Rect [0 60 300 90] >>',
      },
    });
    expect(findTags(pdf)).toEqual(['city', 'name']);

    const filled = await fill(pdf, { name: 'Ana', city: 'Lund' });

    const update = filled.toString('latin1', pdf.length);
    const utf16 = (text: string) => `<feff${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`;
    expect(update).toContain(`/Contents ${utf16('Dear Ana')}`);
    expect(update).toContain(`/V ${utf16('Lund')}`);
    expect(update).not.toContain('{{');
  });

  it.each([
    ['a mark behind a character that prints nothing', 'א e\u200b\u0301'],
    ['a line that begins with a mark', 'א\n\u0301b'],
  ])('uses an existing glyph for each letter, also for %s', async (_, name) => {
    const content = contentOf(await fill(shows('({{name}}) Tj'), { name }));

    const glyphs = [...content.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, codes]) => codes!.match(/.{4}/g) ?? []);
    expect(glyphs.length).toBeGreaterThan(1);
    expect(glyphs).not.toContain('0000');
  });

  it('accepts any text as a value without failing, and shows the letters beside it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 20 }), async (name) => {
        const filled = await fill(shows('({{name}}) Tj'), { name: `|${name}|` });
        expect(textIn(filled)).toContain('|');
      }),
      { numRuns: 30, examples: [['\u{e0100}'], ['\u{1d165}']] },
    );
  });

  it('is the same buffer when the PDF has no tag', async () => {
    const pdf = shows('(No { {tag}} here, {{1}} {{a b}} {{}}) Tj');

    expect(await fill(pdf, ANA)).toBe(pdf);
  });

  it('accepts values from a map', async () => {
    expect(textIn(await fill(shows('({{delivery.city.id}}) Tj'), new Map([['delivery.city.id', '7']])))).toBe('7');
  });

  it('can be sealed and verifies as sealed', async () => {
    for (const form of ['table', 'stream', 'hybrid'] as const) {
      const pdf = buildPdf({ form, objects: { 4: stream('BT /F1 12 Tf 72 700 Td (I am {{name}}.) Tj ET') } });
      const sealed = await seal(await fill(pdf, ANA), SEAL);

      expect(verify(sealed, { certificates: [PLATFORM.certificate] }).verdict).toBe('sealed');
      expect(textIn(sealed)).toBe('I am Ana Lind.');
    }
  });

  it('can be made in a separate process', async () => {
    const processes = new PdfProcesses({ size: 1 });
    const pdf = shows('(I am {{name}}.) Tj');

    expect(textIn(await processes.fill(pdf, ANA))).toBe('I am Ana Lind.');
    expect((await processes.fill(page('BT ET'), new Map())).equals(page('BT ET'))).toBe(true);
    await expect(processes.fill(Buffer.from('no PDF'), ANA)).rejects.toMatchObject({ reason: 'not_pdf' });
    processes.stop();
  });
});

/** A PDF with as many fields, each with a tag in its value. */
function fieldsOf(count: number): Buffer {
  const nums = Array.from({ length: count }, (_, nth) => nth + 10);
  const objects = Object.fromEntries(nums.map((num) => [num, `<< /FT /Tx /T (f${num}) /V ({{name}}) >>`]));
  return buildPdf({ catalog: `/AcroForm << /Fields [${nums.map((num) => `${num} 0 R`).join(' ')}] >>`, objects });
}

describe('a PDF that cannot be filled @spec D2-4.3.6', () => {
  const many = (count: number, name: (nth: number) => string) =>
    Array.from({ length: count }, (_, nth) => `0 -1 Td ({{${name(nth)}}}) Tj`).join(' ');
  const vertical = compositeFont(RANGES)[5]!.replace('Identity-H', 'Identity-V');
  const predefined = compositeFont(RANGES)[5]!.replace('Identity-H', '90ms-RKSJ-H');
  const drawn = '<< /Type /Font /Subtype /Type3 /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << >> /Encoding /WinAnsiEncoding >>';
  const tag = `<${shifted('{{name}}', 32)}> Tj`;
  const tagged = { 4: stream('BT /F1 12 Tf 72 700 Td ({{name}}) Tj ET'), 5: HELVETICA };
  const formOfPage = {
    3: `<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>`,
    6: stream('BT /F1 12 Tf 10 10 Td ({{name}}) Tj ET', '/Subtype /Form /BBox [0 0 300 50]'),
  };

  it.each([
    ['too_complex', 'more than 1,000 tags', shows(many(1001, (nth) => `a${nth}`))],
    ['too_complex', 'one tag in more than 10,000 places', shows(many(10_001, () => 'a'))],
    ['too_complex', 'more text than any page has', shows(`(${'x'.repeat(200_001)}) Tj`)],
    ['too_complex', 'states nested without end', page('q '.repeat(10_001))],
    ['unfillable', 'a tag in vertical text', shows(tag, { ...compositeFont(RANGES), 5: vertical })],
    ['unfillable', 'a tag in a font whose widths are elsewhere', shows(tag, { ...compositeFont(RANGES), 5: predefined })],
    ['unfillable', 'a tag in a font of drawings', shows('({{name}}) Tj', { 5: drawn })],
    ['unfillable', 'a tag in the invisible text of a scan', shows('3 Tr ({{name}}) Tj')],
    ['unfillable', 'a tag that only cuts off what is drawn later', shows('7 Tr ({{name}}) Tj')],
    ['unfillable', 'a tag in a form that uses the fonts of its page', page('/X Do', formOfPage)],
    ['unfillable', 'a tag in a file with a second form', buildPdf({ catalog: '/AcroForm << /XFA 4 0 R >>', objects: tagged })],
    ['damaged', 'a string without an end', shows('({{name}}')],
  ])('is refused as %s: %s', async (reason, _, pdf) => {
    await expect(fill(pdf, ANA)).rejects.toMatchObject({ name: 'PdfRefusal', reason });
    expect(() => findTags(pdf)).toThrow(expect.objectContaining({ reason }));
  });

  it('is refused as signed when it has tags and a signature, and unchanged without a tag', async () => {
    const signed = await seal(shows('({{name}}) Tj'), SEAL);
    const without = await seal(shows('(name) Tj'), SEAL);

    await expect(fill(signed, ANA)).rejects.toMatchObject({ reason: 'signed' });
    expect(await fill(without, ANA)).toBe(without);
  });

  it('is refused as overflow when a value is too long for its space or over the maximum length', async () => {
    const cell = '70 690 100 30 re S BT /F1 12 Tf 72 700 Td ({{name}}) Tj ET';

    await expect(fill(page(cell), { name: 'x'.repeat(400) })).rejects.toMatchObject({ reason: 'overflow' });
    await expect(fill(shows('({{name}}) Tj'), { name: 'x'.repeat(10_001) })).rejects.toMatchObject({ reason: 'overflow' });
  });

  it('is refused as too_complex with too many values or a long value in too many positions', async () => {
    const values = new Map(Array.from({ length: 10_001 }, (_, nth) => [`a${nth}`, '']));
    const often = shows(many(201, () => 'name'));

    await expect(fill(often, { name: 'x'.repeat(10_000) })).rejects.toMatchObject({ reason: 'too_complex' });

    await expect(fill(shows('({{name}}) Tj'), values)).rejects.toMatchObject({ reason: 'too_complex' });
  });

  it('is refused as too_complex with long values in many form fields', async () => {
    await expect(fill(fieldsOf(201), { name: 'x'.repeat(10_000) })).rejects.toMatchObject({ reason: 'too_complex' });
  });

  it("is refused as too_large when the filled file exceeds the caller's maximum", async () => {
    const processes = new PdfProcesses({ size: 1 });
    const pdf = fieldsOf(100);

    await expect(processes.fill(pdf, { name: 'x'.repeat(10_000) }, { filledBytes: 1_000_000 })).rejects.toMatchObject({
      reason: 'too_large',
    });
    await expect(processes.fill(pdf, { name: 'x' }, { filledBytes: 1_000_000 })).resolves.toBeInstanceOf(Buffer);
    processes.stop();
  });

  it('is refused as too_complex by fill and findTags when its text needs too many comparisons', async () => {
    const letters = Array.from({ length: 30_000 }, (_, nth) => `1 0 0 1 ${(nth % 100) * 6} ${nth / 50} Tm (x) Tj`).join(' ');
    const pdf = page(`BT /F1 2 Tf ${letters} ${many(1000, () => 'name')} ET`);

    await expect(fill(pdf, ANA)).rejects.toMatchObject({ reason: 'too_complex', detail: 'more than 50000000 comparisons' });
    expect(() => findTags(pdf)).toThrow(expect.objectContaining({ reason: 'too_complex', detail: 'more than 25000000 comparisons' }));
  });
});
