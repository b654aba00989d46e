#!/usr/bin/env node
// node tools/build.mjs [project folder]... : src/**/*.ts -> dist/**/*.js with SWC; every project when none is named.
// Writes only what changed and removes what lost its source, so a running process never sees a half-empty dist.
import { transform } from '@swc/core';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

export async function projects() {
  const groups = await Promise.all(['apps', 'libs', 'examples'].map(async (group) => (await readdir(join(root, group))).map((name) => `${group}/${name}`)));
  return [...groups.flat(), 'e2e', 'bench', 'tools'].filter((project) => existsSync(join(root, project, 'package.json')));
}

export async function build(names) {
  const options = JSON.parse(await readFile(join(root, '.swcrc'), 'utf8'));
  delete options.$schema;
  for (const name of names ?? (await projects())) await buildProject(name, options);
}

async function buildProject(name, options) {
  const src = join(root, name, 'src');
  const dist = join(root, name, 'dist');
  const sources = (await filesBelow(src)).filter((file) => !/\.(spec|check)\.ts$/.test(file));
  const written = await Promise.all(sources.map((file) => buildFile(join(src, file), join(dist, file), options)));
  const keep = new Set(written.flat());
  for (const file of await filesBelow(dist)) if (!keep.has(join(dist, file))) await rm(join(dist, file), { force: true });
}

async function buildFile(file, out, options) {
  await mkdir(dirname(out), { recursive: true });
  if (!file.endsWith('.ts')) return [await writeIfChanged(out, await readFile(file))];
  const js = out.replace(/\.ts$/, '.js');
  const { code, map } = await transform(await readFile(file, 'utf8'), {
    ...options, swcrc: false, filename: file, sourceFileName: relative(dirname(js), file), outputPath: js,
  });
  const linked = `${code}\n//# sourceMappingURL=${js.split('/').pop()}.map\n`;
  return Promise.all([writeIfChanged(js, Buffer.from(linked)), writeIfChanged(`${js}.map`, Buffer.from(map))]);
}

/** Renamed into place, so that two builds at once leave whole files. */
async function writeIfChanged(path, content) {
  const old = await readFile(path).catch((error) => (error.code === 'ENOENT' ? null : Promise.reject(error)));
  if (old?.equals(content)) return path;
  const fresh = `${path}.${process.pid}.tmp`;
  await writeFile(fresh, content);
  await rename(fresh, path);
  return path;
}

async function filesBelow(dir) {
  if (!existsSync(dir)) return [];
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(dir, join(entry.parentPath, entry.name)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2);
  await build(names.length ? names : undefined);
}
