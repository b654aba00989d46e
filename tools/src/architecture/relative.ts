import type { Manifest } from './manifests.ts';
import { BELOW_DISTRICTS, DISTRICTS, TOUCHES_THE_WORLD } from './rules.ts';

export function refusesFile(from: string, to: string, typeOnly: boolean, manifests: readonly Manifest[]): string | undefined {
  const [own, other] = [packageOf(from), packageOf(to)];
  if (own !== other && !(own === 'tools' && isRootFile(to))) return 'another package is imported by its name';
  if (!own.startsWith('apps/') || isTest(from)) return undefined;
  const impure = !typeOnly && !TOUCHES_THE_WORLD.test(from) && TOUCHES_THE_WORLD.test(to);
  if (impure) return 'a plain-named file is pure: it imports only types of files that touch the world';
  return own === 'apps/platform' ? refusesCapability(from, to, manifests) : undefined;
}

/** The folder of a package: `libs/domain`, `tools`. */
const packageOf = (file: string) => /^(?:(?:apps|libs|dev)\/)?[^/]+/.exec(file)![0];

/** Whether the file lies in the root folder: these are the settings of the workspace, which tools read. */
const isRootFile = (file: string) => !file.includes('/');

export const isTest = (file: string) => /\.(spec|check)\.ts$|\/test\//.test(file);

function refusesCapability(from: string, to: string, manifests: readonly Manifest[]): string | undefined {
  const [own, other] = [locationOf(from), locationOf(to)];
  if (own.folder === undefined) return other.capability === undefined || isIndex(to) ? undefined : PAST_INDEX;
  if (BELOW_DISTRICTS.includes(own.folder)) return refusesFromBelow(own, other);
  if (other.folder === undefined) return own.folder in DISTRICTS ? 'a capability does not know what puts capabilities together' : undefined;
  if (other.capability === undefined || own.capability === other.capability) return undefined;
  if (!isIndex(to)) return PAST_INDEX;
  if (own.capability === undefined) return undefined;
  if (own.folder !== other.folder && !DISTRICTS[own.folder]!.includes(other.folder))
    return `the district ${own.folder} does not import the district ${other.folder}: rules.ts has the list`;
  const manifest = manifests.find(({ capability }) => capability === own.capability);
  if (!manifest) return `${own.capability} has no capability.ts that declares what it uses`;
  return manifest.uses.includes(other.capability)
    ? undefined
    : `the manifest of ${own.capability} does not say that it uses ${other.capability}`;
}

const PAST_INDEX = 'a capability is reached through its index.ts';
const isIndex = (file: string) => /^apps\/platform\/src\/[^/]+\/[^/]+\/index\.ts$/.test(file);

const refusesFromBelow = (own: Location, other: Location) =>
  own.folder === other.folder || (other.folder !== undefined && BELOW_DISTRICTS.includes(other.folder))
    ? undefined
    : `${own.folder} lies below all districts and imports none of them`;

/** Where a file of the platform lies below `src`. */
interface Location {
  /** The first folder: a district, or another folder; undefined for the files that put everything together. */
  folder: string | undefined;
  /** The folder of the capability within its district. */
  capability: string | undefined;
}

function locationOf(file: string): Location {
  const [, folder, inner] = /^apps\/platform\/src\/([^/]+)\/(?:([^/]+)\/)?/.exec(file) ?? [];
  return { folder, capability: folder !== undefined && folder in DISTRICTS ? inner : undefined };
}

export const capabilityOf = (file: string): string | undefined => locationOf(file).capability;

export const districtOf = (file: string): string | undefined => (capabilityOf(file) === undefined ? undefined : locationOf(file).folder);
