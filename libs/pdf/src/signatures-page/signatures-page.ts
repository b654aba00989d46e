import { createHash } from 'node:crypto';
import type { PageTree } from '../file/pages.ts';
import { changed, type Update, writeItems, writeRef, writeText } from '../file/update.ts';
import { Ref } from '../file/values.ts';
import { paragraphsOf, type Paragraph, type SignaturesPage } from './acts.ts';
import { decimal, embedFont } from './embed-font.ts';
import { TextFonts, type Run } from './text-line.ts';

/** A4, with the empty margin around the text. */
const PAGE = { width: 595.28, height: 841.89, margin: 56 };

/** Draws the Signatures page, or several. Returns a function that writes them into an update and returns the first. */
export async function drawSignaturesPage(
  original: Buffer,
  page: SignaturesPage,
): Promise<(update: Update, tree: PageTree, field?: Ref) => Ref> {
  const signed = { bytes: original.length, sha256: createHash('sha256').update(original).digest('hex') };
  const paragraphs = paragraphsOf(page, signed);
  const fonts = await TextFonts.of(paragraphs.map(({ text }) => text));
  const contents = drawPages(paragraphs, fonts);
  return (update, tree, field) => {
    const names = fonts.all.map((font, nth) => `/F${nth} ${writeRef(embedFont(update, font))}`);
    const box = `/MediaBox [0 0 ${PAGE.width} ${PAGE.height}] /CropBox [0 0 ${PAGE.width} ${PAGE.height}] /Rotate 0`;
    const pages = contents.map((content, nth) => {
      const stream = update.addStream('', Buffer.from(content, 'latin1'));
      const annotations = nth === 0 && field ? `/Annots [${writeRef(field)}]` : '';
      const resources = `/Resources << /Font << ${names.join(' ')} >> >>`;
      return update.add(`<< /Type /Page /Parent ${writeRef(tree.ref)} ${box} ${resources} /Contents ${writeRef(stream)} ${annotations} >>`);
    });
    const kids = update.file.resolve(tree.dict.get('Kids'));
    const items = writeItems(Array.isArray(kids) ? kids : [], pages);
    update.write(tree.ref, changed(tree.dict, { Kids: `[${items}]`, Count: String(tree.count + pages.length) }));
    return pages[0]!;
  };
}

/** Returns the content stream of each page. */
function drawPages(paragraphs: readonly Paragraph[], fonts: TextFonts): string[] {
  const pages = [''];
  let y = PAGE.height - PAGE.margin;
  const put = (text: string) => (pages[pages.length - 1] += text);
  const feed = (space: number) => {
    y -= space;
    if (y >= PAGE.margin) return;
    pages.push('');
    y = PAGE.height - PAGE.margin - space;
  };
  for (const { text, size, indent, space, hasRule } of paragraphs) {
    const width = ((PAGE.width - 2 * PAGE.margin - indent) * 1000) / size;
    fonts.wrap(text, width).forEach((line, nth) => {
      feed(size * 1.25 + (nth === 0 ? space : 0));
      if (nth === 0 && hasRule) put(rule(y + size + space / 2));
      put(drawLine(line, fonts, { x: PAGE.margin + indent, y, size }));
    });
  }
  return pages;
}

const rule = (y: number) => `0.75 G 0.5 w ${PAGE.margin} ${decimal(y)} m ${decimal(PAGE.width - PAGE.margin)} ${decimal(y)} l S\n`;

/** Draws a line and adds the text that it stands for: its glyphs have numbers of their own and are drawn from left to right. */
function drawLine(text: string, fonts: TextFonts, { x, y, size }: { x: number; y: number; size: number }): string {
  let at = x;
  const drawn = fonts.line(text).map((run) => {
    const from = at;
    at += (run.glyphs.reduce((sum, { advance }) => sum + advance, 0) * size) / 1000;
    return `/F${fonts.all.indexOf(run.font)} ${size} Tf ${drawRun(run, from, y, size)}`;
  });
  return `/Span << /ActualText ${writeText(text)} >> BDC\nBT\n${drawn.join('')}ET\nEMC\n`;
}

function drawRun({ glyphs }: Run, x: number, y: number, size: number): string {
  const hex = (id: number) => id.toString(16).padStart(4, '0');
  const isPlain = glyphs.every(({ width, advance, dx, dy }) => Math.abs(width - advance) < 0.5 && dx === 0 && dy === 0);
  const textMatrix = (left: number, bottom: number) => `1 0 0 1 ${decimal(left)} ${decimal(bottom)} Tm`;
  if (isPlain) return `${textMatrix(x, y)} <${glyphs.map(({ id }) => hex(id)).join('')}> Tj\n`;
  let at = x;
  const drawn = glyphs.map(({ id, advance, dx, dy }) => {
    const placed = `${textMatrix(at + (dx * size) / 1000, y + (dy * size) / 1000)} <${hex(id)}> Tj\n`;
    at += (advance * size) / 1000;
    return placed;
  });
  return drawn.join('');
}
