#!/usr/bin/env node
// node libs/crypto/test/vectors/make-vectors.mjs : writes openssl.json again, with the OpenSSL on the PATH and new keys.
import { build } from 'esbuild';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const dir = await mkdtemp(join(tmpdir(), 'codase-vectors-'));
try {
  const outfile = join(dir, 'vectors.mjs');
  await build({ entryPoints: [join(here, 'vectors.ts')], outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['source'] });
  const { makeVectors } = await import(pathToFileURL(outfile).href);
  await writeFile(join(here, 'openssl.json'), `${JSON.stringify(await makeVectors(), null, 2)}\n`);
} finally {
  await rm(dir, { recursive: true, force: true });
}
