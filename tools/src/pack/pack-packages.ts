import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const run = promisify(execFile);

/** The packages that companies install. */
export const PACKED = ['contracts', 'crypto', 'client'] as const;
type Packed = (typeof PACKED)[number];
/** Packages that companies do not install: the parts of them that the client uses are bundled into the client. */
const BUNDLED = ['runtime', 'pdf'] as const;

interface Manifest {
  name: string;
  version: string;
  license: string;
  exports: Record<string, { source: string; default: string }>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, object>;
}

const manifestOf = (root: string, lib: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'libs', lib, 'package.json'), 'utf8')) as Manifest;

/** Packs the packages into `to`, by way of `stage`, from the output of `npm run build`. Returns the paths of the tarballs. */
export async function packPackages(root: string, stage: string, to: string): Promise<string[]> {
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  const types = join(stage, 'types');
  await emitTypes(root, stage, types);
  for (const lib of PACKED) await stagePackage(root, types, join(stage, lib), lib);
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to, ...PACKED.map((lib) => `./${lib}`)];
  const { stdout } = await run('npm', args, { cwd: stage });
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => join(to, filename));
}

/** Writes the declarations of the packages and of the bundled sources that they name. A step of `npm test` checks types. */
async function emitTypes(root: string, stage: string, types: string): Promise<void> {
  mkdirSync(stage, { recursive: true });
  const sources = sourcesOf(root, [...PACKED, ...BUNDLED]);
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: join(root, 'libs'),
    outDir: types,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    // Sources are found by their path in `libs`: a file that the compiler finds first through `node_modules` gets no declaration.
    paths: Object.fromEntries([...sources].map(([specifier, source]) => [specifier, [join(root, 'libs', source)]])),
  };
  const files = [...sourcesOf(root, PACKED).values()].map((source) => join(root, 'libs', source));
  const project = join(stage, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ extends: join(root, 'tsconfig.base.json'), compilerOptions, files }));
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project, '--checkers', '1']);
}

/** Returns the entry points of our packages, each with its source file below `libs`. */
const sourcesOf = (root: string, libs: readonly string[]): ReadonlyMap<string, string> =>
  new Map(
    libs.flatMap((lib) =>
      Object.entries(manifestOf(root, lib).exports).map(([entry, { source }]) => [join('@codase', lib, entry), join(lib, source)] as const),
    ),
  );

const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file));

async function stagePackage(root: string, types: string, out: string, lib: Packed): Promise<void> {
  const { name, version, license, exports, dependencies = {}, ...given } = manifestOf(root, lib);
  const imported = lib === 'client' ? await bundleClient(root, out) : copyCode(root, out, lib);
  copyTypes(root, types, out, lib);
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  cpSync(join(root, 'libs', lib, 'README.md'), join(out, 'README.md'));
  const manifest = {
    name,
    version,
    license,
    type: 'module',
    engines: { node: '>=22.22' },
    exports: Object.fromEntries(
      Object.entries(exports).map(([entry, { default: code }]) => [entry, { types: typesOf(code), default: code }]),
    ),
    dependencies: pinned(root, imported ?? Object.keys(dependencies)),
    peerDependencies: given.peerDependencies,
    peerDependenciesMeta: given.peerDependenciesMeta,
  };
  writeFileSync(join(out, 'package.json'), JSON.stringify(manifest, null, 2));
}

const typesOf = (code: string): string => code.replace(/\.js$/, '.d.ts');

function copyCode(root: string, out: string, lib: Packed): undefined {
  cpSync(join(root, 'libs', lib, 'dist'), join(out, 'dist'), { recursive: true });
}

async function bundleClient(root: string, out: string): Promise<string[]> {
  const bundled = sourcesOf(root, BUNDLED);
  const isBundled = (path: string) => path.startsWith('.') || bundled.has(path);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['libs/client/src/index.ts'],
    outfile: join(out, 'dist/index.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    sourcemap: true,
    keepNames: true,
    conditions: ['source'],
    metafile: true,
    logLevel: 'silent',
    plugins: [
      {
        name: 'packages stay outside',
        setup: ({ onResolve }) =>
          onResolve({ filter: /.*/ }, ({ path, kind }) =>
            kind === 'entry-point' || isBundled(path) ? undefined : { path, external: true },
          ),
      },
    ],
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return [...new Set(imports.filter((path) => !path.startsWith('node:')).map(packageOf))];
}

const packageOf = (path: string): string => path.split('/', path.startsWith('@') ? 2 : 1).join('/');

/** Returns the packages with the versions that this repository was tested with. */
function pinned(root: string, packages: readonly string[]): Record<string, string> {
  const versionOf = (name: string) =>
    (JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as Manifest).version;
  return Object.fromEntries(packages.toSorted().map((name) => [name, versionOf(name)]));
}

/** Copies a package's declarations, and of bundled packages those that the client's name, each package's into a folder of its name. */
function copyTypes(root: string, types: string, out: string, lib: Packed): void {
  const bundled = sourcesOf(root, BUNDLED);
  const wanted = new Set<string>();
  const visit = (file: string): void => {
    if (wanted.has(file)) return;
    wanted.add(file);
    const text = readFileSync(join(types, file), 'utf8');
    for (const [, specifier] of text.matchAll(SPECIFIER)) {
      const next = locate(bundled, file, specifier!);
      if (next) visit(next);
    }
  };
  if (lib === 'client') visit('client/src/index.d.ts');
  else for (const file of filesBelow(join(types, lib, 'src'), '.d.ts')) wanted.add(relative(types, file));
  for (const file of wanted) writeTypes(bundled, types, out, file);
}

/** The module names of imports, exports and import types. */
const SPECIFIER = /(?:\bfrom |\bimport\(|\bimport )['"]([^'"]+)['"]/g;

/** Returns the declaration file of a module name; undefined when the module is not packed here. */
function locate(bundled: ReadonlyMap<string, string>, from: string, specifier: string): string | undefined {
  const source = specifier.startsWith('.') ? join(dirname(from), specifier) : bundled.get(specifier);
  return source?.replace(/\.[jt]s$/, '.d.ts');
}

const positionOf = (file: string): string =>
  file.replace(new RegExp(`^(${BUNDLED.join('|')})/src/`), 'dist/$1/').replace(/^[a-z]+\/src\//, 'dist/');

function writeTypes(bundled: ReadonlyMap<string, string>, types: string, out: string, file: string): void {
  const position = positionOf(file);
  const text = readFileSync(join(types, file), 'utf8').replace(SPECIFIER, (whole, specifier: string) => {
    const target = locate(bundled, file, specifier);
    return target ? whole.replace(specifier, relativeTo(position, positionOf(target))) : whole;
  });
  mkdirSync(dirname(join(out, position)), { recursive: true });
  writeFileSync(join(out, position), text);
}

function relativeTo(from: string, to: string): string {
  const path = relative(dirname(from), to).replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
