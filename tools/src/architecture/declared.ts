import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Import } from './imports.ts';

type Names = Record<string, unknown>;

interface Manifest {
  name: string;
  dependencies?: Names;
  devDependencies?: Names;
  optionalDependencies?: Names;
  peerDependencies?: Names;
}

/** Packages for development, which may use the root's development dependencies. Tests may use all of ours without declaring them. */
const DEVELOPMENT = ['bench', 'e2e', 'tools', 'dev/testing'];

/** Returns a sentence for each import of a package that is not declared, and so is not in the app's image. */
export function undeclared(root: string, sources: readonly { file: string; imports: readonly Import[] }[]): string[] {
  const manifests = new Map<string, Manifest | undefined>();
  const manifestOf = (folder: string) => {
    if (!manifests.has(folder)) manifests.set(folder, readManifest(join(root, folder)));
    return manifests.get(folder);
  };
  return sources.flatMap(({ file, imports }) => {
    const folder = packageFolder(file);
    const manifest = manifestOf(folder);
    if (!manifest) return [];
    const development = isTest(file) || DEVELOPMENT.includes(folder) ? developmentNames(manifest, manifestOf('')) : [];
    const declared = new Set([manifest.name, ...runtimeNames(manifest), ...development]);
    const isMissing = (name: string) => !declared.has(name) && !(isTest(file) && name.startsWith('@codase/'));
    const missing = new Set(imports.flatMap(({ target }) => packageName(target) ?? []).filter(isMissing));
    return [...missing].map((name) => `${file} imports ${name}, which ${folder}/package.json does not declare.`);
  });
}

/** The name of the imported package, without its entry point; undefined for a file, a module of Node and a computed name. */
function packageName(target: string | undefined): string | undefined {
  if (target === undefined || /^(\.|node:|\/|file:)/.test(target)) return undefined;
  return /^(@[^/]+\/)?[^/]+/.exec(target)?.[0];
}

const packageFolder = (file: string) => /^(?:(?:apps|libs|dev|examples)\/)?[^/]+/.exec(file)![0];

const isTest = (file: string) => /\.(spec|check)\.ts$|\/(test|jest)\//.test(file);

const runtimeNames = ({ dependencies, optionalDependencies, peerDependencies }: Manifest) =>
  [dependencies, optionalDependencies, peerDependencies].flatMap((names) => Object.keys(names ?? {}));

const developmentNames = ({ devDependencies }: Manifest, root: Manifest | undefined) =>
  [devDependencies, root?.devDependencies].flatMap((names) => Object.keys(names ?? {}));

function readManifest(folder: string): Manifest | undefined {
  const path = join(folder, 'package.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined;
}
