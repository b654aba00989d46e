import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';

/** A workspace of the repository: an app, a library or an example. */
export interface Project {
  folder: string;
  name: string;
  /** The names of the packages that it declares as dependencies, those of the repository among them. */
  dependencies: readonly string[];
}

const Root = z.looseObject({ workspaces: z.array(z.string()) });
const Manifest = z.looseObject({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) });

/** Reads the workspaces that the root's package.json names. */
export function projectsIn(root: string): Project[] {
  const { workspaces } = Root.parse(read(root, '.'));
  return workspaces
    .flatMap((pattern) => foldersOf(root, pattern))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const { name, dependencies } = Manifest.parse(read(root, folder));
      return { folder, name, dependencies: Object.keys(dependencies) };
    });
}

const foldersOf = (root: string, pattern: string): string[] =>
  pattern.endsWith('/*') ? readdirSync(join(root, pattern.slice(0, -1))).map((name) => `${pattern.slice(0, -1)}${name}`) : [pattern];

const read = (root: string, folder: string): unknown => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** Returns the project that has a file, given from the root of the repository. */
export const projectOf = (file: string, projects: readonly Project[]): Project | undefined =>
  projects.find(({ folder }) => file.startsWith(`${folder}/`));

export function builtFrom(project: Project, projects: readonly Project[]): Project[] {
  const found = new Set([project]);
  for (const { dependencies } of found) for (const other of projects) if (dependencies.includes(other.name)) found.add(other);
  return [...found];
}

/** Returns the packages of others that these projects load, but none that telemetry instruments: it must be loaded before those. */
export function packagesOf(built: readonly Project[], projects: readonly Project[]): string[] {
  const all = new Set(built.flatMap(({ dependencies }) => dependencies));
  const isOurs = (name: string) => projects.some((project) => project.name === name);
  return [...all].filter((name) => !isOurs(name) && !all.has(`@opentelemetry/instrumentation-${name}`));
}

/** Whether a file is one that services are built from: no test, and no file that an editor keeps for itself. */
export const isSource = (file: string): boolean =>
  /(^|\/)src\//.test(file) && !/\.(spec|check)\.ts$/.test(file) && !/^[.#]|~$|\.(sw[a-z]|tmp|orig)$|^\d+$/.test(basename(file));
