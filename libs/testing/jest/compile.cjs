// What specs and what they test are compiled to by SWC, kept by content in the cache folder.
const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { readdir } = require('node:fs/promises');
const { join } = require('node:path');
const { setImmediate } = require('node:timers/promises');

/** Where compiled files are kept, and what SWC is told, in a configuration of Jest. */
exports.compileOptions = ({ cacheDirectory, transform }) => {
  const folder = join(cacheDirectory, 'modules');
  mkdirSync(folder, { recursive: true });
  return { folder, swc: transform[0][2] };
};

/** Where what a source is compiled to is kept, by content. Its path counts too, because the source map names it. */
const compiledPath = (file, source, { folder, swc }) =>
  join(
    folder,
    `${createHash('sha1')
      .update(JSON.stringify([file, source, swc]))
      .digest('hex')}.mjs`,
  );

exports.sourceMapPath = (file, options) => `${compiledPath(file, readFileSync(file, 'utf8'), options)}.map`;

/** The code of a TypeScript file, compiled when it is not kept yet. */
exports.compile = (file, options) => {
  const source = readFileSync(file, 'utf8');
  const kept = compiledPath(file, source, options);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { transformSync } = require('@swc/core'); // most files are kept
  const { code, map } = transformSync(source, { ...options.swc, filename: file, sourceFileName: file });
  writeWhole(`${kept}.map`, map);
  writeWhole(kept, code);
  return code;
};

/** All of them, once, before several workers begin and each compiles the same. */
exports.compileAll = async (rootDir, options) => {
  const groups = await Promise.all(['apps', 'libs', 'examples'].map((group) => pathsIn(join(rootDir, group))));
  const projects = [...groups.flat(), ...['e2e', 'bench', 'tools'].map((name) => join(rootDir, name))];
  const folders = projects.flatMap((project) => [join(project, 'src'), join(project, 'test')]);
  const paths = await Promise.all(folders.map((folder) => pathsIn(folder, { recursive: true })));
  for (const file of paths.flat().filter((path) => path.endsWith('.ts'))) {
    exports.compile(file, options);
    await setImmediate(); // the servers start meanwhile
  }
};

/** None, when there is no such folder. */
async function pathsIn(folder, options) {
  const names = await readdir(folder, options).catch(() => []);
  return names.map((name) => join(folder, name));
}

/** Two workers may compile the same file at once. */
function writeWhole(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
