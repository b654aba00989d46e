import { readdirSync, readFileSync } from 'node:fs';
import { PLATFORM, SEAL } from '../../test/identities.ts';
import { PRODUCERS } from '../../test/producers.ts';
import { seenIn, textIn } from '../../test/tagged-pdf.ts';
import { findTags } from '../find-tags.ts';
import { seal } from '../seal.ts';
import { verify } from '../verify.ts';
import { fill } from './fill.ts';

const FOLDER = new URL('../../test/fixtures/tagged/', import.meta.url);
const TAGGED = readdirSync(FOLDER).map((file) => [file, readFileSync(new URL(file, FOLDER))] as const);
const tagged = (file: string) => TAGGED.find(([name]) => name === file)![1];

const VALUES = {
  company: 'Lind GmbH',
  first_name: 'Jürgen',
  last_name: 'Größmann',
  city: 'Düsseldorf',
  date: '18.11.2026',
  probation: 'sechs',
  office_fax: '030 123456',
  salary: '4.800,00',
  bonus: '500,00 €',
  total: '5.300,00 €',
  hebrew: 'שלום',
};

/** Returns where the lines of a PDF end, in the order in which it shows them. */
function lineEnds(pdf: Buffer): number[] {
  const ends = new Map<number, number>();
  for (const { text, base, end } of seenIn(pdf)) {
    if (text.trim() !== '') ends.set(Math.round(base), Math.max(end, ends.get(Math.round(base)) ?? 0));
  }
  return [...ends.values()];
}

describe('filling a PDF of each producer @spec D2-4.3.6', () => {
  it.each(PRODUCERS)('leaves %s unchanged, which has readable text and no tags', async (_, pdf) => {
    expect(textIn(pdf)).toMatch(/contract|Between A and B/i);
    expect(await fill(pdf, {})).toBe(pdf);
  });

  it.each(TAGGED)('replaces all tags of %s, which can be sealed afterwards', async (_, pdf) => {
    const tags = findTags(pdf);
    expect(tags).toEqual(expect.arrayContaining(['company', 'first_name', 'last_name', 'total']));

    const filled = await fill(pdf, Object.fromEntries(tags.map((tag) => [tag, `<${tag.toUpperCase()}>`])));

    const text = textIn(filled);
    expect(tags.filter((tag) => !text.includes(`<${tag.toUpperCase()}>`))).toEqual([]);
    expect(findTags(filled)).toEqual([]);
    expect(verify(await seal(filled, SEAL), { certificates: [PLATFORM.certificate] }).verdict).toBe('sealed');
  });

  it.each([
    ['chromium.pdf', [0]],
    ['libreoffice.pdf', [0, 4]],
    ['pdftex.pdf', [0, 3]],
  ])('keeps in %s the right edges of amounts, justified text and right-to-left text', async (file, moved) => {
    const before = lineEnds(tagged(file));
    const after = lineEnds(await fill(tagged(file), VALUES));

    const others = before.flatMap((end, line) => (Math.abs(after[line]! - end) > 0.5 ? [line] : []));
    expect(others).toEqual(moved); // headings, last lines of paragraphs, and a line that TeX made too long
    expect(after).toHaveLength(before.length);
  });

  it('keeps a long value in chromium.pdf within the margins', async () => {
    const filled = await fill(tagged('chromium.pdf'), {
      ...VALUES,
      company: 'Internationale Gesellschaft für Dienstleistungen mbH & Co. KG',
    });

    expect(Math.max(...lineEnds(filled))).toBeLessThan(538.94);
  });
});
