import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** The bundle of an entry file for a browser: its code, its size over the wire, and the files that it is made of. */
export interface Bundle {
  code: string;
  gzipped: number;
  files: string[];
}

/** Bundles one file, named relative to this folder, as a web page would. Fails on anything that a browser does not have. */
export async function bundleForBrowser(entry: string): Promise<Bundle> {
  const entryPoint = fileURLToPath(new URL(entry, import.meta.url));
  const { outputFiles, metafile } = await build({
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'codase',
    target: 'es2022',
    conditions: ['source'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const { text } = outputFiles[0]!;
  return { code: text, gzipped: gzipSync(text, { level: 9 }).length, files: Object.keys(metafile.inputs) };
}
