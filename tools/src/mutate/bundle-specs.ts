import { build, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

/** A spec file, compiled together with the sources it imports. */
export interface Spec {
  file: string;
  /** The files that the compiled spec is made of, the spec file included. */
  sources: ReadonlySet<string>;
  /** Evaluates all these files again, so that the next mutant sees nothing that the previous one left behind. */
  load: () => void;
}

/** Bundles spec files, named relative to the root. Packages are not bundled and are loaded once; `replaced` has substitutes for some. */
export async function bundleSpecs(files: readonly string[], root: string, replaced: Record<string, unknown>): Promise<Spec[]> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...files],
    outbase: '.',
    outdir: '.',
    outExtension: { '.js': '.cjs' },
    write: false,
    metafile: true,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
    plugins: [ownAddress],
    logLevel: 'silent',
  });
  const require = createRequire(join(root, 'package.json'));
  const give = (name: string): unknown => replaced[name] ?? require(name);
  return outputFiles.map(({ path, text }) => {
    const { entryPoint, inputs } = metafile.outputs[relative(root, path)]!;
    const evaluate = compileFunction(text, ['require', 'module', 'exports'], { filename: path });
    return { file: entryPoint!, sources: new Set(Object.keys(inputs)), load: () => void evaluate(give, { exports: {} }, {}) };
  });
}

/** Lets a file that reads neighbouring files find them from its own folder, not from the bundle's. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    })),
};

export function nearestFirst(specs: readonly Spec[], source: string): Spec[] {
  const shared = ({ file }: Spec) => [...file].findIndex((char, i) => char !== source[i]);
  return specs.filter(({ sources }) => sources.has(source)).toSorted((a, b) => shared(b) - shared(a));
}
