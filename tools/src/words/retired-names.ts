import { basename } from 'node:path';
import type { Source } from '../architecture/sources.ts';
import { RETIRED_WORDS, type RetiredWord } from './retired-words.ts';

const CHECKED = /\.ts$/;
/** Migrations are not checked: databases record their names. */
const LEFT_ALONE = /\/migrations\//;
/** In tests, members are not checked: they are often the data of a company or of a fake server. */
const TEST = /\.(spec|check)\.ts$|\/test\//;
const CONSTANT = /^[A-Z0-9_]+$/;
/** Names in snake case are data: a member on the wire, or a column. */
const DATA = /^[a-z0-9]+(_[a-z0-9]+)+$/;

/** Returns a sentence for each retired word in the name of a file, in a name that a file declares, and in a message that people read. */
export function retiredNames(sources: readonly Source[], words: readonly RetiredWord[] = RETIRED_WORDS): string[] {
  const [inName, inText] = [search(words, has), search(words, says)];
  const checked = sources.filter(({ file }) => CHECKED.test(file) && !LEFT_ALONE.test(file));
  return checked.flatMap(({ file, declared: { names, members, messages } }) => {
    const isTest = TEST.test(file);
    const all = [...new Set([basename(file, '.ts'), ...names, ...(isTest ? [] : members)])].filter((name) => !DATA.test(name));
    const found = [...all.flatMap(inName), ...(isTest ? [] : messages.flatMap(inText))];
    return found.filter(({ word }) => !isLeftAlone(file, word)).map(({ text, word }) => `${file}: ${sentence(text, word)}`);
  });
}

const isLeftAlone = (file: string, { files = [] }: RetiredWord) => files.some((beginning) => file.startsWith(beginning));

const sentence = (text: string, { word, instead }: RetiredWord) =>
  `${/\s/.test(text) ? `"${text}"` : text} has the retired word "${word}": rather ${instead}.`;

interface Hit {
  text: string;
  word: RetiredWord;
}

/** Returns a function that finds the words of a text. Most names occur in many files, so each is searched once. */
function search(words: readonly RetiredWord[], contains: (text: string, word: RetiredWord) => boolean): (text: string) => readonly Hit[] {
  const known = new Map<string, readonly Hit[]>();
  return (text) => {
    const before = known.get(text);
    if (before) return before;
    const hits = words.filter((word) => contains(text, word)).map((word) => ({ text, word }));
    known.set(text, hits);
    return hits;
  };
}

function has(name: string, { word, except = [], unlessIn = [], isConstant }: RetiredWord): boolean {
  const written = `-${kebab(name)}-`;
  if (!written.includes(`-${word}`) || except.includes(name) || (isConstant && !CONSTANT.test(name))) return false;
  const rest = unlessIn.reduce((text, term) => text.replaceAll(term, ''), written);
  return rest.includes(`-${word}-`) || rest.includes(`-${word}s-`);
}

/** Whether a sentence has the word. Words of everyday language are retired as names alone. */
function says(text: string, { word, isEveryday }: RetiredWord): boolean {
  return !isEveryday && new RegExp(`(?<![\\w-])${word.replaceAll('-', '[ -]')}s?(?![\\w-])`, 'i').test(text);
}

/** Writes a name in kebab-case, so that `ToldEvents`, `TOLD_EVENTS` and `told-events.store` are found alike. */
const kebab = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[._]/g, '-')
    .toLowerCase();
