import { build, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileFunction } from 'node:vm';

/** A spec file, compiled together with the sources it imports. */
export interface Spec {
  file: string;
  /** The files it is made of, itself included. */
  sources: ReadonlySet<string>;
  /** Evaluates all of them anew, so that nothing a mutant left behind is seen by the next. */
  load: () => void;
}

/** Bundles spec files, named from the root. Packages stay outside and are loaded once; some may be replaced. */
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
    target: 'node20',
    tsconfigRaw: {},
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

/** A file that reads its neighbours finds them from its own place, not the bundle's. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    })),
};

/** The specs that hold a source file, the one beside it first and those far away last. */
export function nearestFirst(specs: readonly Spec[], source: string): Spec[] {
  const shared = ({ file }: Spec) => [...file].findIndex((char, i) => char !== source[i]);
  return specs.filter(({ sources }) => sources.has(source)).toSorted((a, b) => shared(b) - shared(a));
}
