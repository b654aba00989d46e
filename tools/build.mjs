#!/usr/bin/env node
// node tools/build.mjs [project folder]... : src/**/*.ts -> dist/**/*.js with SWC. When no project is named, it builds every project and
// then the bundle of the programs.
// It builds changed files and removes outputs without a source, so a running process never sees a half-empty dist. The modification time of
// an output says when its source was read. A source is as old as its last change of any kind, and moving a file into its place is a change.
import { existsSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** The files that every output depends on. */
const SETTINGS = ['.swcrc', 'tools/build.mjs', 'node_modules/@swc/core/package.json'].map((file) => join(root, file));
/** The precision of file times, which are as coarse as the ticks of the system. */
const TICK_MS = 20;
/** How many files are built at once: some systems let a process open only 256. */
const FILES_AT_ONCE = 64;

/** Sources that do not build. The message has a frame with file and line for each of them. */
export class BuildFault extends Error {}

export async function projects() {
  const groups = await Promise.all(
    ['apps', 'libs', 'dev', 'examples'].map(async (group) => (await readdir(join(root, group))).map((name) => `${group}/${name}`)),
  );
  return [...groups.flat(), 'e2e', 'bench', 'tools'].filter((project) => existsSync(join(root, project, 'package.json')));
}

export async function build(names) {
  const options = JSON.parse(await readFile(join(root, '.swcrc'), 'utf8'));
  delete options.$schema;
  const settingsAt = Math.max(...SETTINGS.map(changedAt));
  for (const name of names ?? (await projects())) await buildProject(name, { options, settingsAt });
  if (!names) await bundle();
}

async function buildProject(name, settings) {
  const src = join(root, name, 'src');
  const dist = join(root, name, 'dist');
  const sources = (await filesBelow(src)).filter((file) => !/\.(spec|check)\.ts$/.test(file));
  const keep = new Set();
  const left = sources.values();
  const faults = [];
  const buildNext = async () => {
    for (const file of left) {
      const built = await buildFile(join(src, file), join(dist, file), settings).catch((error) => faults.push(error) && []);
      for (const path of built) keep.add(path);
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, buildNext));
  if (faults.length) throw new BuildFault(faults.map(frameOf).join('\n'), { cause: faults[0] });
  for (const file of await filesBelow(dist)) if (!keep.has(join(dist, file))) await rm(join(dist, file), { force: true });
}

/** Returns the message of a fault without what SWC says of itself. */
const frameOf = ({ message }) => message.split('\n\nCaused by:')[0].trimEnd();

/** Builds a file when its outputs are out of date. Returns the paths of its outputs. */
async function buildFile(file, out, { options, settingsAt }) {
  const isCode = file.endsWith('.ts');
  const js = out.replace(/\.ts$/, '.js');
  const built = isCode ? [js, `${js}.map`] : [out];
  const staleAt = Math.max(settingsAt, changedAt(file));
  if (built.every((path) => builtAt(path) > staleAt)) return built;
  await mkdir(dirname(out), { recursive: true });
  const readAt = new Date(Date.now() - TICK_MS);
  const contents = isCode ? await compiled(file, js, options) : [await readFile(file)];
  await Promise.all(built.map((path, i) => writeIfChanged(path, contents[i], readAt)));
  return built;
}

/** Returns the code and its source map. */
async function compiled(file, js, options) {
  const { transform } = await import('@swc/core'); // loaded late, because most calls have nothing to build
  const { code, map } = await transform(await readFile(file, 'utf8'), {
    ...options,
    swcrc: false,
    filename: file,
    sourceFileName: relative(dirname(js), file),
    outputPath: js,
  });
  return [Buffer.from(`${code}\n//# sourceMappingURL=${js.split('/').pop()}.map\n`), Buffer.from(map)];
}

/** Renames the file into place, so that two builds at once leave whole files. */
async function writeIfChanged(path, content, readAt) {
  const old = await readFile(path).catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error)));
  if (old?.equals(content)) return utimes(path, readAt, readAt);
  const fresh = `${path}.${process.pid}.tmp`;
  await writeFile(fresh, content);
  await utimes(fresh, readAt, readAt);
  await rename(fresh, path);
}

const changedAt = (path) => statSync(path).ctimeMs;
const builtAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity;

async function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  await build(names.length ? names : undefined);
}
