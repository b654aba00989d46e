import { deflateSync } from 'node:zlib';
import { buildPdf } from '../../test/build-pdf.ts';
import { contentOf, HELVETICA, stream, textIn } from '../../test/tagged-pdf.ts';
import { findTags } from '../find-tags.ts';
import { fill } from './fill.ts';

const RESOURCES = '/Resources << /Font << /F1 5 0 R >> >>';
const BOX = '/MediaBox [0 0 612 792]';
const line = (y: number, shown: string) => `BT /F1 12 Tf 72 ${y} Td (${shown}) Tj ET`;
const pageWith = (contents: string, objects: Readonly<Record<number, string>>) =>
  buildPdf({
    objects: {
      3: `<< /Type /Page /Parent 2 0 R ${BOX} /Contents ${contents} ${RESOURCES} >>`,
      4: stream(line(700, 'I am {{name}}')),
      5: HELVETICA,
      ...objects,
    },
  });

const ASCII85 = (content: string) => {
  const bytes = Buffer.concat([Buffer.from(content), Buffer.alloc((4 - (content.length % 4)) % 4, ' ')]);
  const groups = Array.from({ length: bytes.length / 4 }, (_, nth) => {
    let group = bytes.readUInt32BE(nth * 4);
    const digits = Array.from({ length: 5 }, () => {
      const digit = String.fromCharCode(33 + (group % 85));
      group = Math.floor(group / 85);
      return digit;
    });
    return digits.toReversed().join('');
  });
  return groups.join('');
};

/** The bytes of a content behind the PNG predictor: each row begins with its filter, and here nothing is filtered. */
const predicted = (content: string, columns: number) =>
  Buffer.from((content.match(new RegExp(`[^]{1,${columns}}`, 'g')) ?? []).map((row) => `\0${row.padEnd(columns)}`).join(''));

describe('the content of a PDF page @spec D2-4.3.6', () => {
  const second = stream(line(600, 'for 5 EUR'));

  it.each([
    ['a list of them', '[4 0 R 6 0 R]', { 6: second }],
    ['a list elsewhere', '8 0 R', { 6: second, 8: '[4 0 R 6 0 R]' }],
    ['references to references', '[4 0 R 7 0 R]', { 6: second, 7: '6 0 R' }],
    [
      'text that begins with its own mark',
      '[4 0 R 6 0 R]',
      { 6: stream(`\n<~${ASCII85(line(600, 'for 5 EUR'))}~>`, '/Filter /ASCII85Decode') },
    ],
  ])('consists of all its streams: %s', async (_, contents, objects) => {
    const filled = await fill(pageWith(contents, objects), { name: 'Ana' });

    expect(textIn(filled)).toBe('I am Anafor 5 EUR');
    expect(contentOf(filled)).toContain('(for 5 EUR) Tj');
  });

  it('can be read when its filter and parameters are separate objects', () => {
    const packed = deflateSync(predicted(line(700, '{{name}}'), 7)).toString('latin1');
    const objects = { 7: '/FlateDecode', 8: '<< /Predictor 12 /Columns 7 >>' };

    expect(findTags(pageWith('4 0 R', { 4: stream(packed, '/Filter 7 0 R /DecodeParms 8 0 R'), ...objects }))).toEqual(['name']);
    expect(findTags(pageWith('4 0 R', { 4: stream(packed, '/Filter [7 0 R] /DecodeParms [8 0 R]'), ...objects }))).toEqual(['name']);
  });

  it.each(['/X 7 0 R', '/X 7 0 R /Y 6 0 R'])('is filled once in a form referenced indirectly: %s', async (named) => {
    const form = stream('BT /F1 9 Tf 2 5 Td ({{name}}) Tj ET', `/Subtype /Form /BBox [0 0 300 50] ${RESOURCES}`);
    const resources = `/Resources << /XObject << ${named} >> >>`;
    const pdf = pageWith('4 0 R', { 3: `<< /Type /Page /Parent 2 0 R ${BOX} ${resources} >>`, 6: form, 7: '6 0 R' });

    expect(textIn(await fill(pdf, { name: 'Ana' }))).toBe('Ana');
  });

  it.each([
    ['no stream', '8 0 R', { 8: '<< /Length 3 >>' }],
    ['a list of lists', '[4 0 R 8 0 R]', { 8: '[6 0 R]', 6: second }],
  ])('is refused when it is %s, as the text would be lost', (_, contents, objects) => {
    expect(() => findTags(pageWith(contents, objects))).toThrow(expect.objectContaining({ reason: 'damaged' }));
  });

  it('can be read from 4,000 pages that inherit size and fonts from one node', () => {
    const count = 4000;
    const objects = Object.fromEntries(
      Array.from({ length: count }, (_, nth) => [10 + nth, '<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>']),
    );
    const kids = Array.from({ length: count }, (_, nth) => `${10 + nth} 0 R`).join(' ');
    const node = `<< /Type /Pages /Kids [${kids}] /Count ${count} ${BOX} ${RESOURCES} >>`;

    expect(findTags(buildPdf({ objects: { 2: node, 3: 'null', 4: stream(line(700, '{{name}}')), 5: HELVETICA, ...objects } }))).toEqual([
      'name',
    ]);
  });
});
