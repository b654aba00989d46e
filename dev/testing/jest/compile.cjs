// Compiles specs and the code they test with SWC, and keeps the results by content in the cache folder.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { readdir } = require('node:fs/promises');
const { join } = require('node:path');
const { setImmediate } = require('node:timers/promises');

/** Returns the folder of compiled files and the options of SWC, from a configuration of Jest. */
exports.compileOptions = ({ cacheDirectory, transform }) => {
  const folder = join(cacheDirectory, 'modules');
  mkdirSync(folder, { recursive: true });
  return { folder, swc: transform[0][2] };
};

/** Returns where the compiled code of a source is kept. The name depends on the content, and on the path, which the source map names. */
const compiledPath = (file, source, { folder, swc }) =>
  join(
    folder,
    `${createHash('sha1')
      .update(JSON.stringify([file, source, swc]))
      .digest('hex')}.mjs`,
  );

exports.sourceMapPath = (file, options) => `${compiledPath(file, readFileSync(file, 'utf8'), options)}.map`;

/** Returns the compiled code of a TypeScript file, and compiles the file when its code is not kept yet. */
exports.compile = (file, options) => {
  const source = readFileSync(file, 'utf8');
  const kept = compiledPath(file, source, options);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { transformSync } = require('@swc/core'); // loaded late, because the code of most files is kept
  const { code, map } = transformSync(source, { ...options.swc, filename: file, sourceFileName: file });
  writeWhole(`${kept}.map`, map);
  writeWhole(kept, code);
  return code;
};

/** Compiles all files once, before several workers start and each of them compiles the same files. */
exports.compileAll = async (rootDir, options) => {
  const groups = await Promise.all(['apps', 'libs', 'dev', 'examples'].map((group) => pathsIn(join(rootDir, group))));
  const projects = [...groups.flat(), ...['e2e', 'bench', 'tools'].map((name) => join(rootDir, name))];
  const folders = projects.flatMap((project) => [join(project, 'src'), join(project, 'test')]);
  const paths = await Promise.all(folders.map((folder) => pathsIn(folder, { recursive: true })));
  for (const file of paths.flat().filter((path) => path.endsWith('.ts'))) {
    exports.compile(file, options);
    await setImmediate(); // lets the servers start meanwhile
  }
};

/** Returns the paths in a folder, or none when there is no such folder. */
async function pathsIn(folder, options) {
  const names = await readdir(folder, options).catch(() => []);
  return names.map((name) => join(folder, name));
}

/** Renames the file into place, because two workers may compile the same file at once. */
function writeWhole(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
