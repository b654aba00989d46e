import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sourceFiles } from '../command/source-files.ts';

/** The limit of .editorconfig. The formatter breaks what it can; strings, SQL statements and comments are broken by hand. */
const WIDTH = 140;
const FOLDERS = ['apps', 'libs', 'dev', 'examples', 'e2e', 'bench', 'tools'];

/** Lines that cannot be broken: the title of a test, and a regular expression. */
const UNBROKEN = [/^\s*(it|describe)(\.\w+)*\(/, /^\s*\/[^*/].*\/[a-z]*[;,]?$/];
/** Files of text, each with the reason. */
const TEXTS: Readonly<Record<string, string>> = {
  'apps/platform/src/access/discovery/api-introduction.ts': 'Markdown that the API document shows',
};

/** Lines of code that are longer than they may be, each as a sentence. */
export function longLines(root: string): string[] {
  const files = sourceFiles(root, FOLDERS, ['.ts', '.js', '.mjs', '.cjs', '.sql']).filter((file) => !(file in TEXTS));
  return files.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, index) => (isTooLong(line) ? [sentence(file, index + 1, line.length)] : []));
  });
}

const isTooLong = (line: string) => line.length > WIDTH && !UNBROKEN.some((kind) => kind.test(line));

const sentence = (file: string, line: number, length: number) =>
  `${file}:${line} is ${length} characters long: break it, a line has at most ${WIDTH}.`;
