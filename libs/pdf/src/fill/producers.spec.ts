import { readdirSync, readFileSync } from 'node:fs';
import { PLATFORM, SEAL } from '../../test/identities.ts';
import { PRODUCERS } from '../../test/producers.ts';
import { textIn } from '../../test/tagged-pdf.ts';
import { findTags } from '../find-tags.ts';
import { seal } from '../seal.ts';
import { verify } from '../verify.ts';
import { fill } from './fill.ts';

const FOLDER = new URL('../../test/fixtures/tagged/', import.meta.url);
const TAGGED = readdirSync(FOLDER).map((file) => [file, readFileSync(new URL(file, FOLDER))] as const);

describe('a PDF of every producer @spec D2-4.3.6', () => {
  it.each(PRODUCERS)('%s has text that is read, and comes back as it is when it has no tag', async (_, pdf) => {
    expect(textIn(pdf)).toMatch(/contract|Between A and B/i);
    expect(await fill(pdf, {})).toBe(pdf);
  });

  it.each(TAGGED)('%s is filled where it has tags, and can be sealed', async (_, pdf) => {
    const tags = findTags(pdf);
    expect(tags).toEqual(expect.arrayContaining(['company', 'first_name', 'last_name', 'total']));

    const filled = await fill(pdf, Object.fromEntries(tags.map((tag) => [tag, `<${tag.toUpperCase()}>`])));

    const text = textIn(filled);
    expect(tags.filter((tag) => !text.includes(`<${tag.toUpperCase()}>`))).toEqual([]);
    expect(findTags(filled)).toEqual([]);
    expect(verify(await seal(filled, SEAL), { certificates: [PLATFORM.certificate] }).verdict).toBe('sealed');
  });
});
