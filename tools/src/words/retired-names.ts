import { basename } from 'node:path';
import type { Source } from '../architecture/sources.ts';
import { RETIRED_WORDS, type RetiredWord } from './retired-words.ts';

const CHECKED = /\.ts$/;
/** Files that are not checked. Migrations keep their names, because databases record them; tests may use any words. */
const LEFT_ALONE = /\/migrations\/|\.(spec|check)\.ts$/;

/** Every exported name and file name that has a retired word, each as a sentence. */
export function retiredNames(sources: readonly Source[], words: readonly RetiredWord[] = RETIRED_WORDS): string[] {
  const checked = sources.filter(({ file }) => CHECKED.test(file) && !LEFT_ALONE.test(file));
  return checked.flatMap(({ file, exported }) => {
    const names = [basename(file, '.ts'), ...exported];
    return names.flatMap((name) => words.filter((word) => has(name, word)).map((word) => `${file}: ${sentence(name, word)}`));
  });
}

const sentence = (name: string, { word, instead }: RetiredWord) => `${name} has the retired word "${word}": rather ${instead}.`;

const has = (name: string, { word, except = [], unlessIn = [] }: RetiredWord) => {
  const words = unlessIn.reduce((text, term) => text.replaceAll(term, ''), kebab(name));
  return !except.includes(name) && new RegExp(`-${word}s?-`).test(`-${words}-`);
};

/** Writes a name in kebab-case, so that `ToldEvents`, `TOLD_EVENTS` and `told-events.store` are found alike. */
const kebab = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[._]/g, '-')
    .toLowerCase();
