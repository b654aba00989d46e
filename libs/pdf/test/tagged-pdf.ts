import { PdfFile } from '../src/file/pdf-file.ts';
import { readContentText } from '../src/fill/content-text.ts';
import { drawingsOf } from '../src/fill/drawings.ts';
import { Fonts } from '../src/fill/resources.ts';
import { buildPdf } from './build-pdf.ts';

/** A stream object with a content, which is one byte for each character. */
export const stream = (content: string, entries = ''): string =>
  `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;

export const HELVETICA = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';

/** A page of 612 by 792 units with this content, where F1 is Helvetica unless the objects say otherwise. */
export const page = (content: string, objects: Readonly<Record<number, string>> = {}): Buffer =>
  buildPdf({ objects: { 4: stream(content), 5: HELVETICA, ...objects } });

/** A page that shows text at a position, in 12 units. */
export const shows = (operators: string, objects: Readonly<Record<number, string>> = {}): Buffer =>
  page(`BT /F1 12 Tf 72 700 Td ${operators} ET`, objects);

/** A piece of text as a reader of the PDF sees it: where it begins and ends, and how large it is. */
interface Seen {
  text: string;
  at: number;
  end: number;
  base: number;
  em: number;
}

/** Returns what the pages, forms and appearances of a PDF show: a piece for each operator that shows something. */
export function seenIn(pdf: Buffer): Seen[] {
  const file = new PdfFile(pdf);
  const fonts = new Fonts(file);
  return [...drawingsOf(file)].flatMap(({ content, resources }) => {
    const { shows } = readContentText(content, fonts.of(resources));
    return shows
      .filter(({ glyphs }) => glyphs.length > 0)
      .map(({ glyphs, base, em, end }) => ({ text: glyphs.map(({ text }) => text).join(''), at: glyphs[0]!.at, end, base, em }));
  });
}

/** Returns the shown text of a PDF in one piece. */
export const textIn = (pdf: Buffer): string =>
  seenIn(pdf)
    .map(({ text }) => text)
    .join('');

/** A composite font, as most programs write it: codes of two bytes that are far from the characters that the map says. */
export function compositeFont(rows: string, width = 500): Record<number, string> {
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange
${rows} endcmap end end`;
  return {
    5: '<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Some /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>',
    6: `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Some /DW ${width} /W [1 [${width} ${width}] 3 400 ${width}] >>`,
    7: stream(map),
  };
}

/** Returns the content of the first page. */
export const contentOf = (pdf: Buffer): string => {
  const [first] = drawingsOf(new PdfFile(pdf));
  return first!.content.toString('latin1');
};
