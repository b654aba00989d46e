import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';

/** The limit of .editorconfig. The formatter breaks what it can; strings, SQL statements and comments are broken by hand. */
const WIDTH = 140;
const FOLDERS = ['apps', 'libs', 'dev', 'examples', 'e2e', 'bench', 'tools'];

/** Lines that cannot be broken: the title of a test, and a regular expression. */
const UNBROKEN = [/^\s*(it|describe)(\.\w+)*\(/, /^\s*\/[^*/].*\/[a-z]*[;,]?$/];
const TEXTS: Readonly<Record<string, string>> = {
  'apps/platform/src/access/discovery/api-introduction.ts': 'Markdown that the API document shows',
};

/** A comment that begins with one of these words leaves the reader to guess what it is about. */
const OPENINGS = ['And', 'As it', 'It', 'Somebody', 'That', 'Them', 'They', 'Those', 'Whoever'];
/** The first line of a comment. A line below another line of the same comment may begin with any word. */
const OPENING = new RegExp(`(?<!^[^\\S\\n]*//[^\\n]*\\n)^[^\\S\\n]*(?:/\\*\\*\\s+(?:\\*\\s+)?|//\\s+)(${OPENINGS.join('|')})\\b`, 'gm');

const textsIn = (root: string, endings: readonly string[]) =>
  sourceFiles(root, FOLDERS, ['.ts', '.js', '.mjs', '.cjs', ...endings]).map((file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  }));

/** Returns a sentence for each comment that does not say at its beginning what it is about. */
export const unclearOpenings = (root: string): string[] =>
  textsIn(root, []).flatMap(({ file, text }) =>
    [...text.matchAll(OPENING)].map(({ index, 0: found, 1: word }) => {
      const line = text.slice(0, index + found.length).split('\n').length;
      return `${file}:${line}: the comment begins with "${word}": name what it is about, for readers who have not read the code.`;
    }),
  );

export const longLines = (root: string): string[] =>
  textsIn(root, ['.sql'])
    .filter(({ file }) => !(file in TEXTS))
    .flatMap(({ file, text }) =>
      text.split('\n').flatMap((line, index) => (isTooLong(line) ? [sentence(file, index + 1, line.length)] : [])),
    );

const isTooLong = (line: string) => line.length > WIDTH && !UNBROKEN.some((kind) => kind.test(line));

const sentence = (file: string, line: number, length: number) =>
  `${file}:${line} is ${length} characters long: break it, a line has at most ${WIDTH}.`;
