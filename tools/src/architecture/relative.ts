import type { Manifest } from './manifests.ts';
import { NOT_CAPABILITIES, TOUCHES_THE_WORLD } from './rules.ts';

/** Why a file may not import another file of the repository, or undefined when it may. */
export function refusesFile(from: string, to: string, typeOnly: boolean, manifests: readonly Manifest[]): string | undefined {
  const [own, other] = [packageOf(from), packageOf(to)];
  if (own !== other && !(own === 'tools' && isRootFile(to))) return 'another package is imported by its name';
  if (!own.startsWith('apps/') || isTest(from)) return undefined;
  const impure = !typeOnly && !TOUCHES_THE_WORLD.test(from) && TOUCHES_THE_WORLD.test(to);
  if (impure) return 'a plain-named file is pure: it imports only types of files that touch the world';
  return own === 'apps/platform' ? refusesCapability(from, to, manifests) : undefined;
}

/** The folder of a package: `libs/domain`, `tools`. */
const packageOf = (file: string) => /^(?:(?:apps|libs)\/)?[^/]+/.exec(file)![0];

/** Whether the file lies in the root folder: these are the settings of the workspace, which tools read. */
const isRootFile = (file: string) => !file.includes('/');

export const isTest = (file: string) => /\.(spec|check)\.ts$|\/test\//.test(file);

function refusesCapability(from: string, to: string, manifests: readonly Manifest[]): string | undefined {
  const [own, other] = [capabilityOf(from), capabilityOf(to)];
  if (other === undefined || own === other) return undefined;
  if (to !== `apps/platform/src/${other}/index.ts`) return `a capability is reached through its index.ts`;
  if (own === undefined) return undefined;
  const manifest = manifests.find(({ capability }) => capability === own);
  if (!manifest) return `${own} has no capability.ts that declares what it uses`;
  return manifest.uses.includes(other) ? undefined : `the manifest of ${own} does not say that it uses ${other}`;
}

/**
 * The capability that a file of the platform belongs to, which is its folder below `src`; undefined for files and folders that put
 * capabilities together or lie beside them.
 */
export function capabilityOf(file: string): string | undefined {
  const folder = /^apps\/platform\/src\/([^/]+)\//.exec(file)?.[1];
  return folder !== undefined && NOT_CAPABILITIES.includes(folder) ? undefined : folder;
}
