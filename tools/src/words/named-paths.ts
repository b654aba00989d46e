import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'];

/** Every path that a document for newcomers names and that does not exist, each as a sentence. */
export function missingPaths(root: string): string[] {
  const folders = new Set(readdirSync(root));
  return DOCUMENTS.filter((file) => existsSync(join(root, file))).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const links = linksIn(text).map((path) => join(dirname(file), path));
    const paths = [...quotedIn(text).filter((quoted) => isPath(quoted, folders)), ...links];
    const missing = [...new Set(paths)].filter((path) => !existsSync(join(root, path)));
    return missing.map((path) => `${file} names ${path}, which does not exist: name it as it is now.`);
  });
}

const quotedIn = (text: string) => [...text.replace(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, quoted]) => quoted!);

const linksIn = (text: string) => [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, target]) => target!);

/** Whether a text is a path: below a folder of the repository, or the name of a source file with a folder before it. */
const isPath = (quoted: string, folders: ReadonlySet<string>) =>
  /^[\w.-]+(\/[\w.-]+)+\/?$/.test(quoted) && (folders.has(quoted.split('/')[0]!) || /\.(ts|mjs|json|md|sql)$/.test(quoted));
