import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';

const FOLDERS = ['apps', 'libs', 'dev', 'examples', 'e2e', 'bench', 'tools'];

/** A comment that begins with one of these words leaves the reader to guess what it is about. */
const OPENINGS = ['And', 'As it', 'It', 'Somebody', 'That', 'Them', 'They', 'Those', 'Whoever'];
/** The first line of a comment. A line below another line of the same comment may begin with any word. */
const OPENING = new RegExp(`(?<!^[^\\S\\n]*//[^\\n]*\\n)^[^\\S\\n]*(?:/\\*\\*\\s+(?:\\*\\s+)?|//\\s+)(${OPENINGS.join('|')})\\b`, 'gm');

/** Returns a sentence for each comment that does not say at its beginning what it is about. */
export function unclearOpenings(root: string): string[] {
  const files = sourceFiles(root, FOLDERS, ['.ts', '.js', '.mjs', '.cjs']);
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(OPENING)].map(({ index, 0: found, 1: word }) => sentence(file, lineAt(text, index + found.length), word!));
  });
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length;

const sentence = (file: string, line: number, word: string) =>
  `${file}:${line}: the comment begins with "${word}": name what it is about, for readers who have not read the code.`;
