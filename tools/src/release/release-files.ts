import { dirname } from 'node:path';
import { withVersion } from './changelog.ts';

const CHANGELOG = 'CHANGELOG.md';
const CHART = 'deploy/chart/Chart.yaml';
const LOCK = 'package-lock.json';

interface Manifest {
  version?: string;
  workspaces?: string[];
}

interface Lock extends Manifest {
  packages: Record<string, Manifest>;
}

/** Returns the files that a release changes, with their texts: the changelog, and the version of packages, lock file and chart. */
export function releaseFiles(files: readonly string[], read: (path: string) => string, version: string, date: string): Map<string, string> {
  const { workspaces = [] } = JSON.parse(read('package.json')) as Manifest;
  const manifests = files.filter((file) => file === 'package.json' || (file.endsWith('/package.json') && isIn(workspaces, dirname(file))));
  return new Map([
    [CHANGELOG, withVersion(read(CHANGELOG), version, date)],
    ...manifests.map((file) => [file, withPackageVersion(read(file), version)] as const),
    ...files.filter((file) => file === LOCK).map((file) => [file, withLockVersions(read(file), version)] as const),
    ...files.filter((file) => file === CHART).map((file) => [file, withChartVersion(read(file), version)] as const),
  ]);
}

/** Whether a folder is one of the workspaces, which are folders and patterns as in `apps/*`. */
const isIn = (workspaces: readonly string[], folder: string) =>
  workspaces.some((pattern) => pattern === folder || (pattern.endsWith('/*') && dirname(folder) === pattern.slice(0, -2)));

/** Sets the version of a package; one that has none keeps none. */
function withPackageVersion(text: string, version: string): string {
  const manifest = JSON.parse(text) as Manifest;
  return manifest.version === undefined ? text : written({ ...manifest, version });
}

/** Sets the version of the root and of the workspaces. The other packages of a lock file are below a folder node_modules. */
function withLockVersions(text: string, version: string): string {
  const lock = JSON.parse(text) as Lock;
  const packages = Object.entries(lock.packages).map(([path, entry]) => {
    const isOurs = !path.split('/').includes('node_modules') && entry.version !== undefined;
    return [path, isOurs ? { ...entry, version } : entry];
  });
  return written({ ...lock, version, packages: Object.fromEntries(packages) as object });
}

const withChartVersion = (text: string, version: string): string => text.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`);

const written = (json: object): string => `${JSON.stringify(json, null, 2)}\n`;
