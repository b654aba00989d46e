import { deflateSync } from 'node:zlib';
import { buildPdf } from '../test/build-pdf.ts';
import { HELVETICA, shows, stream } from '../test/tagged-pdf.ts';
import { findTags } from './find-tags.ts';
import { PdfProcesses } from './pdf-processes.ts';

describe('finding the value tags of a PDF @spec D2-4.3.6', () => {
  it.each([
    ['a literal', '(You pay {{total}}.) Tj', ['total']],
    ['several, each once', '({{a}} {{b}}) Tj ({{a}}) Tj', ['a', 'b']],
    ['a dotted key, with spaces', '({{ delivery.city }}) Tj', ['delivery.city']],
    [
      'the id of a pick of a plugin, which has three parts',
      '({{pickup.point.id}} {{pickup.pont.id}}) Tj',
      ['pickup.point.id', 'pickup.pont.id'],
    ],
    ['four parts are none', '({{a.b.c.d}}) Tj', []],
    ['hexadecimal', `<${Buffer.from('{{city}}').toString('hex')}> Tj`, ['city']],
    ['escapes', '(\\(1\\) \\173{name}}) Tj', ['name']],
    ['pieces that stand together', '[({{to) -20 (tal}})] TJ', ['total']],
    ['pieces that stand apart are none', '({{to) Tj 90 0 Td (tal}}) Tj', []],
    ['lines are none', '({{to) Tj 0 -14 Td (tal}}) Tj', []],
    ['the pieces of right-to-left text, shown from right to left', '60 0 Td (}}) Tj -22.68 0 Td (total) Tj -8.016 0 Td ({{) Tj', ['total']],
    ['what no operator shows is none', '({{a}}) pop', []],
    ['a comment is not shown', '% ({{hidden}})\n(seen) Tj', []],
    ['a picture is passed over', 'ET BI /W 1 ID ({{a}} <</ \nEI BT ({{b}}) Tj', ['b']],
    ['what is no name is none', '({{1a}} {{}} {{a b}} {{__proto__}}) Tj', []],
  ])('returns the expected tags: %s', (_, content, tags) => {
    expect(findTags(shows(content))).toEqual(tags);
  });

  it('reads compressed content in several streams and nested forms', () => {
    const fonts = '/Font << /F1 5 0 R >>';
    const deflated = deflateSync(Buffer.from('0 -20 Td ({{packed}}) Tj'));
    const pdf = buildPdf({
      objects: {
        3: `<< /Type /Page /Parent 2 0 R /Contents [4 0 R 6 0 R] /Resources << ${fonts} /XObject << /F 7 0 R /I 9 0 R >> >> >>`,
        4: stream('BT /F1 9 Tf ({{first}}) Tj'),
        5: HELVETICA,
        6: `<< /Length ${deflated.length} /Filter /FlateDecode >>\nstream\n${deflated.toString('latin1')}\nendstream`,
        7: stream('BT /F1 9 Tf ({{form}}) Tj', `/Subtype /Form /Resources << ${fonts} /XObject << /G 8 0 R >> >>`),
        8: stream('BT /F1 9 Tf ({{inner}}) Tj', `/Subtype /Form /Resources << ${fonts} /XObject << /F 7 0 R >> >>`),
        9: stream('({{pixels}})', '/Subtype /Image'),
      },
    });
    expect(findTags(pdf)).toEqual(['first', 'packed', 'form', 'inner']);
  });

  it.each([
    ['not_pdf', Buffer.from('no PDF')],
    ['too_complex', shows(Array.from({ length: 1001 }, (_, n) => `({{a${n}}}) Tj`).join(' '))],
    ['damaged', shows('(without an end')],
  ])('refuses a PDF as %s', (reason, pdf) => {
    expect(() => findTags(pdf)).toThrow(expect.objectContaining({ reason }));
  });

  it('can run in a separate process', async () => {
    const processes = new PdfProcesses({ size: 1 });
    await expect(processes.findTags(shows('({{total}}) Tj'))).resolves.toEqual(['total']);
    await expect(processes.findTags(Buffer.from('no PDF'))).rejects.toMatchObject({ reason: 'not_pdf' });
    processes.stop();
  });
});
