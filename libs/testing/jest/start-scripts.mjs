// The bundles as plain scripts, for the processes that tests start: Node 20 keeps what it compiled of a script, and not of a module, and
// half of what a start costs is compiling. Who runs them is start-script.cjs; where one cannot be made, the bundle itself is started.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OPTIONS = {
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__url' },
  minifyWhitespace: true,
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'silent',
};
/** A script cannot wait. Nothing comes after the main call of a service, and when it fails the process ends either way. */
const WAITS = /\bawait (main\d*\()/;

/** Writes those of `bundle` to `folder`. */
export async function writeStartScripts(bundle, folder) {
  const { transform } = await import('esbuild');
  const files = (await readdir(bundle)).filter((file) => file.endsWith('.mjs'));
  await Promise.all(files.map((file) => writeScript(transform, { file, bundle, folder })));
}

async function writeScript(transform, { file, bundle, folder }) {
  const source = (await readFile(join(bundle, file), 'utf8')).replace(WAITS, 'void $1');
  const made = await transform(source, { ...OPTIONS, sourcefile: file }).catch(() => undefined); // it waits elsewhere: a command line
  if (made) await writeFile(join(folder, file), inAscii(made.code), 'latin1');
}

/** Read as bytes a script is read in no time. What esbuild leaves in other letters are regular expressions. */
const inAscii = (code) => code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
