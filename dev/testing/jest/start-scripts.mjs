// Turns the bundles into plain scripts, for the processes that tests start. Node lets us keep the compiled code of a script as it is after
// a start, also under flags that a service sets, and compiling is half the cost of a start. start-script.cjs runs the scripts. A bundle
// without a script is started itself.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const OPTIONS = {
  format: 'cjs',
  platform: 'node',
  target: 'node24',
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__url' },
  minifyWhitespace: true,
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'silent',
};
/**
 * The `await` of a service's main call, which a script cannot have. The script omits it: nothing comes after the main call, and the process
 * ends in any case when the call fails.
 */
const WAITS = /\bawait (main\d*\()/;

/** Writes the scripts of the bundles in `bundle` to `folder`. */
export async function writeStartScripts(bundle, folder) {
  const { transform } = await import('esbuild');
  const files = (await readdir(bundle)).filter((file) => file.endsWith('.mjs'));
  await Promise.all(files.map((file) => writeScript(transform, { file, bundle, folder })));
}

async function writeScript(transform, { file, bundle, folder }) {
  const source = (await readFile(join(bundle, file), 'utf8')).replace(WAITS, 'void $1');
  const made = await transform(source, { ...OPTIONS, sourcefile: file }).catch(() => undefined); // command lines have other awaits
  if (made) await writeFile(join(folder, file), inAscii(made.code), 'latin1');
}

/** Escapes all characters but ASCII, because bytes are read fastest. esbuild leaves such characters only in regular expressions. */
const inAscii = (code) => code.replace(/[^\0-\x7f]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
